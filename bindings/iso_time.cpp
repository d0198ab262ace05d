#include "iso_time.hpp"

#include <chrono>

namespace memspan::python {
namespace {

// Eats the text from the front.
struct Scanner {
  std::string_view rest;

  bool take(char wanted) {
    if (rest.empty() || rest.front() != wanted) return false;
    rest.remove_prefix(1);
    return true;
  }

  // Exactly so many digits, as a number of at most `high`.
  bool number(size_t digits, int high, int& out) {
    if (rest.size() < digits) return false;
    out = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (rest[i] < '0' || rest[i] > '9') return false;
      out = out * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(digits);
    return out <= high;
  }

  // Digits after the point, in millionths.
  bool fraction(int& out) {
    size_t digits = 0;
    out = 0;
    for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; ++digits) {
      if (digits == 6) return false;
      out = out * 10 + (rest.front() - '0');
      rest.remove_prefix(1);
    }
    for (size_t i = digits; i < 6; ++i) out *= 10;
    return digits > 0;
  }
};

}  // namespace

bool read_iso_time(std::string_view text, Micros& out) {
  using namespace std::chrono;
  Scanner scanner{text};
  int years = 0, months = 0, days = 0;
  if (!scanner.number(4, 9999, years) || !scanner.take('-') || !scanner.number(2, 12, months) || !scanner.take('-') ||
      !scanner.number(2, 31, days)) {
    return false;
  }
  const year_month_day date = year(years) / months / days;
  if (years == 0 || !date.ok()) return false;
  int hour = 0, minute = 0, second = 0, micros = 0, zone_hour = 0, zone_minute = 0;
  bool west = false;
  if (scanner.take('T') || scanner.take(' ')) {
    if (!scanner.number(2, 23, hour) || !scanner.take(':') || !scanner.number(2, 59, minute)) return false;
    if (scanner.take(':')) {
      if (!scanner.number(2, 59, second)) return false;
      if (scanner.take('.') && !scanner.fraction(micros)) return false;
    }
    if (!scanner.rest.empty() && !scanner.take('Z')) {
      west = scanner.take('-');
      if (!west && !scanner.take('+')) return false;
      if (!scanner.number(2, 23, zone_hour) || !scanner.take(':') || !scanner.number(2, 59, zone_minute)) return false;
    }
  }
  if (!scanner.rest.empty()) return false;
  const microseconds zone = hours(zone_hour) + minutes(zone_minute);
  const microseconds time = hours(hour) + minutes(minute) + seconds(second) + microseconds(micros);
  out = (microseconds(sys_days(date).time_since_epoch()) + time + (west ? zone : -zone)).count();
  return out >= kMinTime && out <= kMaxTime;
}

}  // namespace memspan::python
