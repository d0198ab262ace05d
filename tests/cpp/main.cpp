#define BOOST_TEST_MODULE memspan
#include <boost/test/included/unit_test.hpp>
