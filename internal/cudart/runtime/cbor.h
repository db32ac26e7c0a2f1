// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CBOR (RFC 8949) that the protocol of irgl serve uses.
#ifndef IRGL_RUNTIME_CBOR_H
#define IRGL_RUNTIME_CBOR_H

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace irgl {

// A Request is a map under construction: fewer than 24 pairs.
class Request {
public:
  Request(const char *operation, uint64_t queue, bool quiet = false) : bytes_(5, '\0'), pairs_(0) {
    text("do", operation);
    number("queue", queue);
    if (quiet)
      boolean("quiet", true);
  }
  Request &number(const char *key, uint64_t v) {
    name(key);
    head(0, v);
    return *this;
  }
  Request &text(const char *key, const char *v) { return string(key, 3, v, strlen(v)); }
  Request &text(const char *key, const char *v, size_t n) { return string(key, 3, v, n); }
  Request &data(const char *key, const void *v, size_t n) { return string(key, 2, v, n); }
  Request &boolean(const char *key, bool v) {
    name(key);
    bytes_.push_back(static_cast<char>(v ? 0xf5 : 0xf4));
    return *this;
  }
  Request &triple(const char *key, uint32_t x, uint32_t y, uint32_t z) {
    name(key);
    bytes_.push_back(static_cast<char>(0x83));
    head(0, x);
    head(0, y);
    head(0, z);
    return *this;
  }
  Request &pair(const char *key, uint32_t x, uint32_t y) {
    name(key);
    bytes_.push_back(static_cast<char>(0x82));
    head(0, x);
    head(0, y);
    return *this;
  }
  // finish returns the message with its length.
  const std::string &finish(uint64_t id) {
    number("id", id);
    const uint32_t n = static_cast<uint32_t>(bytes_.size() - 4);
    for (int i = 0; i < 4; i++)
      bytes_[static_cast<size_t>(i)] = static_cast<char>(n >> (8 * i));
    bytes_[4] = static_cast<char>(0xa0 + pairs_);
    return bytes_;
  }

private:
  Request &string(const char *key, unsigned major, const void *v, size_t n) {
    name(key);
    head(major, n);
    bytes_.append(static_cast<const char *>(v), n);
    return *this;
  }
  void name(const char *key) {
    pairs_++;
    const size_t n = strlen(key);
    head(3, n);
    bytes_.append(key, n);
  }
  void head(unsigned major, uint64_t v) {
    const int size = v < 24 ? 0 : v < 0x100 ? 1 : v < 0x10000 ? 2 : v < 0x100000000 ? 4 : 8;
    const unsigned low = size == 0 ? static_cast<unsigned>(v) : size == 1 ? 24 : size == 2 ? 25 : size == 4 ? 26 : 27;
    bytes_.push_back(static_cast<char>(major << 5 | low));
    for (int i = size - 1; i >= 0; i--)
      bytes_.push_back(static_cast<char>(v >> (8 * i)));
  }
  std::string bytes_;
  int pairs_;
};

// A Value is an item of a reply.
struct Value {
  enum Kind { Null, Number, Float, Bytes, Array, Map } kind = Null;
  uint64_t number = 0; // also booleans; negative numbers as two's complement
  double real = 0;
  std::string bytes; // of byte strings and text
  std::vector<Value> items;
  std::vector<std::pair<std::string, Value>> fields;

  // operator[] returns a field, or null.
  const Value &operator[](const char *key) const {
    static const Value none;
    for (const auto &f : fields)
      if (f.first == key)
        return f.second;
    return none;
  }
  explicit operator bool() const { return kind != Null; }
  bool truth() const { return kind == Number && number != 0; }
  int integer() const { return static_cast<int>(number); }
};

// A Reader decodes a reply. The server is ours: what is malformed only has to be noticed.
class Reader {
public:
  Reader(const char *p, size_t n) : p_(p), end_(p + n) {}

  bool read(Value *v, int depth = 0) {
    if (p_ == end_ || depth > 16)
      return false;
    const unsigned char first = static_cast<unsigned char>(*p_++);
    const unsigned major = first >> 5, low = first & 31;
    uint64_t n = low;
    if (low >= 24 && !argument(low, &n))
      return false;
    switch (major) {
    case 0:
    case 1:
      v->kind = Value::Number;
      v->number = major == 0 ? n : ~n;
      return true;
    case 2:
    case 3:
      if (n > static_cast<uint64_t>(end_ - p_))
        return false;
      v->kind = Value::Bytes;
      v->bytes.assign(p_, n);
      p_ += n;
      return true;
    case 4:
      v->kind = Value::Array;
      for (; n > 0; n--) {
        v->items.emplace_back();
        if (!read(&v->items.back(), depth + 1))
          return false;
      }
      return true;
    case 5:
      v->kind = Value::Map;
      for (; n > 0; n--) {
        Value key;
        if (!read(&key, depth + 1) || key.kind != Value::Bytes)
          return false;
        v->fields.emplace_back(std::move(key.bytes), Value());
        if (!read(&v->fields.back().second, depth + 1))
          return false;
      }
      return true;
    case 7:
      return simple(low, n, v);
    default:
      return false;
    }
  }

private:
  bool argument(unsigned low, uint64_t *n) {
    if (low > 27)
      return false;
    const int size = 1 << (low - 24);
    if (end_ - p_ < size)
      return false;
    *n = 0;
    for (int i = 0; i < size; i++)
      *n = *n << 8 | static_cast<unsigned char>(*p_++);
    return true;
  }
  static bool simple(unsigned low, uint64_t n, Value *v) {
    switch (low) {
    case 20:
    case 21:
      v->kind = Value::Number;
      v->number = low - 20;
      return true;
    case 22:
      v->kind = Value::Null;
      return true;
    case 27:
      v->kind = Value::Float;
      memcpy(&v->real, &n, sizeof v->real);
      return true;
    default:
      return false;
    }
  }
  const char *p_, *end_;
};

} // namespace irgl

#endif
