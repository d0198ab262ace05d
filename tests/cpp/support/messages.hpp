// Predicates for BOOST_CHECK_EXCEPTION that look into an error's message.
#pragma once

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace memspan::test {

// Holds when the message contains every one of the parts.
class Mentions {
 public:
  Mentions(std::initializer_list<std::string> parts) : parts_(parts) {}
  bool operator()(const std::exception& error) const {
    const std::string_view message = error.what();
    for (const std::string& part : parts_) {
      if (message.find(part) == message.npos) return false;
    }
    return true;
  }

 private:
  std::vector<std::string> parts_;
};

}  // namespace memspan::test
