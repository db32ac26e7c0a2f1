// A program that two translation units build.
#ifndef UNITS_HPP
#define UNITS_HPP

#include <string>

void small();
const std::string& there();

#endif
