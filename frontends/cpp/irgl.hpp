// Programs for irgl, written as C++17: the C++ front end of IrGL (IrGL paper,
// section 3.3).
//
// A program is C++ that builds the abstract syntax of IrGL (Lowering IrGL to
// CUDA, Listing 6) and prints it as JSON, which irgl checks, compiles and runs:
//
//   #include "irgl.hpp"
//   using namespace irgl;
//
//   int main(int argc, char** argv) {
//     return emit(argc, argv, [] {
//       Graph graph("graph");
//       NodeProperty<int> level(graph, "level", INF, Output);
//       Kernel BFS("BFS", graph, [&] {
//         Param<int> LEVEL("LEVEL");
//         ForAll(WL, [&](Int i) {
//           auto n = Let("n", WL.pop(i));
//           ForAll(n.edges(), [&](Edge e) {
//             If(level[e.dst()] == INF, [&] {
//               level[e.dst()] = LEVEL;
//               WL.push(e.dst());
//             });
//           });
//         });
//       });
//       Host bfs("bfs", [&] {
//         Param<node> src("src");
//         level[src] = 0;
//         Var<int> LEVEL("LEVEL", 1);
//         Iterate(BFS(graph, LEVEL), Initial(src), [&] { ++LEVEL; });
//       });
//     });
//   }
//
// README.md beside this file lists what there is. The header needs nothing but
// the standard library, has no macros but its guard, and may be included
// in any number of translation units.
#ifndef IRGL_HPP
#define IRGL_HPP

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace irgl {

// ---------------------------------------------------------------------------
// Positions and errors

/// A line of the C++ text. As a default argument, here() is the line of the call.
struct Position {
  const char* file = nullptr;
  int line = 0;

  static constexpr Position here(const char* in = __builtin_FILE(), int at = __builtin_LINE()) noexcept {
    return Position{in, at};
  }
  constexpr bool known() const noexcept { return file != nullptr; }
};

/// What is wrong with a program, found while it was built: what() is
/// "file:line: error: message", with a line for the hint if there is one.
class Error : public std::logic_error {
 public:
  Error(Position at, const std::string& message, const std::string& hint = "")
      : std::logic_error(format(at, message, hint)), at_(at) {}

  Position where() const noexcept { return at_; }

 private:
  static std::string format(Position at, const std::string& message, const std::string& hint) {
    std::string text = at.known() ? std::string(at.file) + ":" + std::to_string(at.line) + ": " : std::string();
    text += "error: " + message;
    return hint.empty() ? text : text + "\n  hint: " + hint;
  }

  Position at_;
};

// ---------------------------------------------------------------------------
// Types

struct node {};     ///< a node of the graph
struct edge {};     ///< an edge of the graph
struct in_edge {};  ///< an edge of the transposed graph
struct point {};    ///< a point of the mesh
struct element {};  ///< a triangle or segment of the mesh
struct dist_t {};   ///< the length of a path: int, or long where a path may be longer

/// The name of a type in IrGL. A program that declares a type in a CBlock
/// specialises it for a type of its own:
///
///   struct pair {};
///   template <> struct irgl::type_name<pair> { static std::string text() { return "struct pair"; } };
template <class T, class = void>
struct type_name;

template <>
struct type_name<void> { static std::string text() { return "void"; } };
template <>
struct type_name<node> { static std::string text() { return "node"; } };
template <>
struct type_name<edge> { static std::string text() { return "edge"; } };
template <>
struct type_name<point> { static std::string text() { return "point"; } };
template <>
struct type_name<element> { static std::string text() { return "element"; } };
template <>
struct type_name<dist_t> { static std::string text() { return "dist_t"; } };

template <class T>
struct type_name<T, std::enable_if_t<std::is_arithmetic_v<T>>> {
  static std::string text() {
    static_assert(!std::is_same_v<T, long double>, "irgl has no long double");
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_same_v<T, float>) return "float";
    if constexpr (std::is_same_v<T, double>) return "double";
    if constexpr (std::is_same_v<T, char>) return "char";
    // CUDA's sizes, whatever those of this compiler are: long has 64 bits.
    constexpr const char* names[] = {"char", "short", "int", "long"};
    constexpr int size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    const std::string name = names[size];
    if (std::is_unsigned_v<T>) return size == 2 ? "unsigned" : "unsigned " + name;
    return size == 0 ? "signed char" : name;
  }
};

template <class T>
struct type_name<T*> { static std::string text() { return type_name<T>::text() + " *"; } };
template <class T, std::size_t N>
struct type_name<T[N]> {
  static std::string text() {  // of an array of arrays the outer length is first
    const std::string inner = type_name<T>::text();
    const std::size_t at = inner.find(" [");
    const std::string extent = "[" + std::to_string(N) + "]";
    return at == std::string::npos ? inner + " " + extent : inner.substr(0, at + 1) + extent + inner.substr(at + 1);
  }
};

template <class T>
class Value;
template <class T>
class Ref;
template <class T>
class Var;
template <class T>
class Range;

namespace detail {

// ---------------------------------------------------------------------------
// JSON

struct Object;
using ObjectPtr = std::shared_ptr<Object>;
struct Json;
using List = std::vector<Json>;
struct Json {
  std::variant<std::nullptr_t, bool, long long, std::string, List, ObjectPtr> v;

  Json() : v(nullptr) {}
  Json(std::nullptr_t) : v(nullptr) {}
  Json(bool b) : v(b) {}
  Json(int n) : v(static_cast<long long>(n)) {}
  Json(const char* s) : v(std::string(s)) {}
  Json(std::string s) : v(std::move(s)) {}
  Json(List l) : v(std::move(l)) {}
  Json(ObjectPtr o) : v(std::move(o)) {}
};

/// A node of the abstract syntax, or one of its products without a name.
struct Object {
  std::vector<std::pair<std::string, Json>> fields;
  bool dropped = false;  // an expression that turned out to be an operand

  Json* find(std::string_view name) {
    for (auto& f : fields)
      if (f.first == name) return &f.second;
    return nullptr;
  }
  void set(const char* name, Json value) {
    if (Json* f = find(name)) *f = std::move(value);
    else fields.emplace_back(name, std::move(value));
  }
};

inline ObjectPtr object(std::initializer_list<std::pair<std::string, Json>> fields) {
  auto o = std::make_shared<Object>();
  o->fields.assign(fields);
  return o;
}

/// Whether s is UTF-8, without surrogates and overlong forms.
inline bool is_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0U; };
    const unsigned c = byte(i);
    const unsigned length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    if (length == 0) return false;
    for (unsigned k = 1; k < length; k++)
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    const unsigned d = byte(i + 1);
    if ((c == 0xE0 && d < 0xA0) || (c == 0xED && d > 0x9F) || (c == 0xF0 && d < 0x90) || (c == 0xF4 && d > 0x8F)) return false;
    i += length;
  }
  return true;
}

/// Whether s is a name of the language.
inline bool is_name(std::string_view s) {
  bool ok = !s.empty();
  for (std::size_t i = 0; i < s.size(); i++) {
    const char c = s[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    ok = ok && (letter || (i > 0 && c >= '0' && c <= '9'));
  }
  return ok;
}

inline void write_string(std::string& out, std::string_view s) {
  constexpr const char* hex = "0123456789abcdef";
  out += '"';
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out.append({'\\', c});
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (u < 0x20 || u == 0x7F) out.append("\\u00").append({hex[u >> 4], hex[u & 15]});
    else out += c;
  }
  out += '"';
}

inline void write(std::string& out, const Json& value, std::size_t depth) {
  const auto line = [&](std::size_t d) { out.append("\n").append(2 * d, ' '); };
  if (std::holds_alternative<std::nullptr_t>(value.v)) out += "null";
  else if (const bool* b = std::get_if<bool>(&value.v)) out += *b ? "true" : "false";
  else if (const long long* n = std::get_if<long long>(&value.v)) out += std::to_string(*n);
  else if (const std::string* s = std::get_if<std::string>(&value.v)) write_string(out, *s);
  else if (const List* list = std::get_if<List>(&value.v)) {
    out += '[';
    bool first = true;
    for (const Json& x : *list) {
      if (const ObjectPtr* o = std::get_if<ObjectPtr>(&x.v); o && (*o)->dropped) continue;
      if (!first) out += ',';
      first = false;
      line(depth + 1);
      write(out, x, depth + 1);
    }
    if (!first) line(depth);
    out += ']';
  } else {
    const Object& o = *std::get<ObjectPtr>(value.v);
    out += '{';
    bool first = true;
    for (const auto& f : o.fields) {
      if (!first) out += ',';
      first = false;
      line(depth + 1);
      write_string(out, f.first);
      out += ": ";
      write(out, f.second, depth + 1);
    }
    if (!first) line(depth);
    out += '}';
  }
}

// ---------------------------------------------------------------------------
// Expressions

// C's precedences, from the loosest.
enum Level : int { cond_level = 1, or_level, and_level, bitor_level, bitxor_level, bitand_level, eq_level, rel_level, shift_level, add_level, mul_level, unary_level, postfix_level };

/// A declared name. Scope 0 is that of the file.
struct Symbol {
  std::string name;
  Position at;
  std::uint64_t program = 0;
  std::uint64_t scope = 0;
};
using SymbolPtr = std::shared_ptr<const Symbol>;

/// A call that does something, which is a statement until something uses its value.
struct Effect {
  enum State { statement, operand, used };
  ObjectPtr node;
  std::string text;
  Position at;
  std::uint64_t program = 0;
  std::uint64_t serial = 0;  // of the statements before it
  std::size_t order = 0;     // among the effects of the function
  State state = statement;
};
using EffectPtr = std::shared_ptr<Effect>;

/// The C text of an expression, with the names and the calls in it.
struct Expr {
  std::string text;
  int level = postfix_level;
  std::size_t base = 0;  // of a[i]: the length of a
  std::vector<SymbolPtr> symbols;
  std::vector<EffectPtr> effects;
  Position at;
  bool converted = false;  // its type in C++ is not that of its text
};

/// Whatever has an Expr.
struct Typed {
  Expr e;
};

inline std::string brackets(const Expr& x, int level) { return x.level < level ? "(" + x.text + ")" : x.text; }

void release(const EffectPtr& effect);

/// Adds the names and calls of an operand to those of an expression.
inline void absorb(Expr& into, const Expr& operand) {
  for (const SymbolPtr& s : operand.symbols)
    if (std::find(into.symbols.begin(), into.symbols.end(), s) == into.symbols.end()) into.symbols.push_back(s);
  for (const EffectPtr& f : operand.effects) {
    if (f->state == Effect::used || std::find(into.effects.begin(), into.effects.end(), f) != into.effects.end())
      throw Error(f->at, "the value of " + f->text + " is used twice, which would call it twice", "hold it in a variable: Var<...> old = ...");
    if (f->state == Effect::statement) release(f);
    f->state = Effect::operand;
    into.effects.push_back(f);
  }
  if (!into.at.known()) into.at = operand.at;
}

inline Expr make(std::string text, int level, std::initializer_list<const Expr*> operands) {
  Expr x;
  x.text = std::move(text);
  x.level = level;
  for (const Expr* o : operands) absorb(x, *o);
  return x;
}

inline Expr word(std::string text) {
  Expr x;
  x.text = std::move(text);
  return x;
}

inline Expr binary(const char* op, int level, const Expr& a, const Expr& b) {
  return make(brackets(a, level) + " " + op + " " + brackets(b, level + 1), level, {&a, &b});
}

inline Expr unary(const char* op, const Expr& a) {
  std::string operand = brackets(a, unary_level);
  if (operand.compare(0, 1, op, 1) == 0) operand = "(" + operand + ")";  // - -x must not become --x
  return make(op + operand, unary_level, {&a});
}

inline Expr member(const Expr& of, const std::string& name) { return make(brackets(of, postfix_level) + "." + name, postfix_level, {&of}); }

inline Expr element_of(const Expr& array, const Expr& i, Position at) {
  const std::string base = brackets(array, postfix_level);
  Expr x = make(base + "[" + i.text + "]", postfix_level, {&array, &i});
  x.base = base.size();
  x.at = at;
  return x;
}

inline Expr call(const std::string& function, const std::vector<Expr>& args) {
  Expr x;
  for (const Expr& a : args) {
    x.text += (x.text.empty() ? "" : ", ") + a.text;
    absorb(x, a);
  }
  x.text = function + "(" + x.text + ")";
  return x;
}

inline Expr method_call(const Expr& of, const std::string& name, const std::vector<Expr>& args) {
  Expr x = call(brackets(of, postfix_level) + "." + name, args);
  absorb(x, of);
  return x;
}

/// A number as C has it; from a type, its suffix.
template <class T>
Expr literal(T v) {
  Expr x;
  if constexpr (std::is_same_v<T, bool>) {
    x.text = v ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(!std::is_same_v<T, long double>, "irgl has no long double");
    if (std::isnan(v)) return word("NAN");
    if (std::isinf(v)) {
      x.text = v < 0 ? "-INFINITY" : "INFINITY";
    } else {
      for (int digits = std::numeric_limits<T>::digits10; digits <= std::numeric_limits<T>::max_digits10; digits++) {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out << std::setprecision(digits) << v;
        x.text = out.str();
        std::istringstream in(x.text);
        in.imbue(std::locale::classic());
        T back{};
        if (in >> back && !(back < v) && !(v < back)) break;
      }
      if (x.text.find_first_of(".e") == std::string::npos) x.text += ".0";
      if constexpr (std::is_same_v<T, float>) x.text += "f";
    }
    if (std::signbit(v)) x.level = unary_level;
  } else {
    static_assert(std::is_integral_v<T>, "not a number");
    const std::string suffix = std::string(std::is_unsigned_v<T> && sizeof(T) >= 4 ? "u" : "") + (sizeof(T) == 8 ? "l" : "");
    if (std::is_signed_v<T> && sizeof(T) >= 4 && v == std::numeric_limits<T>::min()) {  // C has no negative literals
      x.text = std::to_string(v + 1) + suffix + " - 1" + suffix;
      x.level = add_level;
    } else {
      x.text = std::to_string(v) + suffix;
      if (v < T{}) x.level = unary_level;
    }
  }
  return x;
}

/// s as a string of C.
inline std::string c_string(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out.append({'\\', c});
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (u < 0x20 || u == 0x7F) out.append({'\\', static_cast<char>('0' + (u >> 6)), static_cast<char>('0' + ((u >> 3) & 7)), static_cast<char>('0' + (u & 7))});
    else out += c;
  }
  return out + "\"";
}

// ---------------------------------------------------------------------------
// The program under construction

/// Statements in braces that are being recorded.
struct Scope {
  std::uint64_t id = 0;
  List stmts;
  std::map<std::string, Position> names;
};

/// A call of a function, whose arguments are counted when the program is complete.
struct Called {
  std::string name;
  std::size_t args = 0;
  Position at;
};

class Builder {
 public:
  explicit Builder(Position at) : id_(next()), source_(at.known() ? at.file : "") {}

  static Builder*& current() {
    thread_local Builder* builder = nullptr;
    return builder;
  }
  /// The program under construction in this thread.
  static Builder& get(Position at, const std::string& what) {
    if (current() == nullptr) throw Error(at, what + " is outside of a program", "build programs in the function that emit or Program calls");
    return *current();
  }
  /// The same, of which a function is open.
  static Builder& statement(Position at, const std::string& what) {
    Builder& b = get(at, what);
    if (b.scopes_.empty()) throw Error(at, what + " is outside of a function", "statements are in the body of a Kernel, Host or Function");
    return b;
  }
  /// The same, of which no function is open.
  static Builder& declaration(Position at, const std::string& what) {
    Builder& b = get(at, what);
    if (!b.scopes_.empty()) throw Error(at, what + " is inside of a function", "declare it before");
    return b;
  }

  void check_text(std::string_view s, Position at) const {
    if (!is_utf8(s)) throw Error(at, "this text is not UTF-8");
  }

  void check_name(const std::string& name, Position at) const {
    if (!is_name(name)) throw Error(at, c_string(is_utf8(name) ? name : "?") + " is not a name of the language", "letters, digits and _, and no digit first");
  }

  /// Declares a name of the file.
  SymbolPtr global(const std::string& name, Position at, const std::string& what) {
    check_name(name, at);
    unique(name, at, globals_);
    if (const auto it = lets_.find(name); it != lets_.end())
      throw Error(at, what + " " + name + " has the name of a variable in " + it->second.first, "the variable is declared at " + text(it->second.second));
    globals_[name] = at;
    return std::make_shared<Symbol>(Symbol{name, at, id_, 0});
  }

  /// Declares a name of the innermost scope.
  SymbolPtr local(const std::string& name, Position at, bool by_assignment = false) {
    check_name(name, at);
    unique(name, at, globals_);
    for (const Scope& s : scopes_) unique(name, at, s.names);
    if (by_assignment) lets_.emplace(name, std::make_pair(function_, at));
    scopes_.back().names[name] = at;
    return std::make_shared<Symbol>(Symbol{name, at, id_, scopes_.back().id});
  }

  /// A name that is not in use, for a variable without one.
  std::string fresh(const std::string& base) const {
    std::string name = base;
    const auto used = [&] {
      if (globals_.count(name)) return true;
      return std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& s) { return s.names.count(name) > 0; });
    };
    for (int n = 2; used(); n++) name = base + std::to_string(n);
    return name;
  }

  Expr use(const SymbolPtr& s) const {
    Expr x = word(s->name);
    x.symbols.push_back(s);
    return x;
  }

  /// The text of an expression that becomes part of a statement.
  std::string take(const Expr& x, Position at) {
    const Position where = at.known() ? at : x.at.known() ? x.at : last_;
    check_text(x.text, where);
    for (const SymbolPtr& s : x.symbols) {
      if (s->program != id_) throw Error(where, s->name + " belongs to another program", "it is declared at " + text(s->at));
      const bool open = s->scope == 0 || std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& o) { return o.id == s->scope; });
      if (!open) throw Error(where, s->name + " is used outside of the block that declares it", "it is declared at " + text(s->at));
    }
    for (const EffectPtr& f : x.effects) take(f, where, x);
    return x.text;
  }

  /// Appends a statement to the innermost scope, or a declaration to the file.
  ObjectPtr record(ObjectPtr node, Position at) {
    serial_++;
    append(node, at);
    return node;
  }

  /// Appends a call that is a statement unless its value is used.
  void record_effect(Expr& x, const ObjectPtr& node, Position at) {
    append(node, at);
    auto f = std::make_shared<Effect>(Effect{node, x.text, at, id_, serial_, effects_.size(), Effect::statement});
    effects_.push_back(f);
    x.effects.assign(1, f);
    x.at = at;
  }

  void drop(const EffectPtr& f) {
    f->node->dropped = true;
    for (auto [name, pending] : {std::make_pair("doc", &doc_), std::make_pair("attributes", &attributes_)})
      if (Json* held = f->node->find(name)) {  // they belong to what uses the value
        auto& list = std::get<List>(held->v);
        pending->insert(pending->begin(), list.begin(), list.end());
        list.clear();
      }
  }

  /// Records what body does as a Block.
  template <class F, class... Args>
  ObjectPtr block(F&& body, Args&&... args) {
    open();
    try {
      body(std::forward<Args>(args)...);
    } catch (...) {
      scopes_.pop_back();
      throw;
    }
    return close();
  }

  void open() {
    scopes_.emplace_back();
    scopes_.back().id = ++scope_;
  }
  ObjectPtr close() {
    rest();
    List stmts = std::move(scopes_.back().stmts);
    scopes_.pop_back();
    return object({{"_type", "Block"}, {"stmts", std::move(stmts)}});
  }
  Scope& scope() { return scopes_.back(); }

  /// Records the body of a function, whose parameters go to the node.
  template <class F>
  void function(const ObjectPtr& node, const std::string& name, List graphs, F&& body) {
    function_ = name;
    params_ = std::move(graphs);
    effects_.clear();
    node->set("stmts", block(body));
    for (const EffectPtr& f : effects_)
      if (f->state == Effect::operand) throw Error(f->at, "the value computed from " + f->text + " is not used", "a call alone is a statement");
    arity_[name] = params_.size();
    node->set("params", std::move(params_));
  }
  void param(ObjectPtr p, Position at) {
    if (scopes_.size() != 1 || !scopes_.back().stmts.empty())
      throw Error(at, "a parameter is declared after statements", "Param is first in the body of a function");
    params_.emplace_back(std::move(p));
  }

  void declare(const std::string& function, Position at) { bodies_.emplace_back(function, at); }
  void called(const std::string& function, std::size_t args, Position at) { calls_.push_back(Called{function, args, at}); }
  bool defined(const std::string& function) const { return arity_.count(function) > 0; }

  void comment(std::string_view s, Position at) {
    check_text(s, at);
    for (std::string line; !s.empty() || line.empty();) {
      const std::size_t end = std::min(s.find('\n'), s.size());
      line = "// " + std::string(s.substr(0, end));
      while (line.size() > 2 && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
      if (line.back() == '\\') line.back() = '/';  // it would continue the comment
      doc_.emplace_back(line);
      s.remove_prefix(std::min(end + 1, s.size()));
    }
  }
  void note(std::string_view s, Position at) {
    check_text(s, at);
    if (s.find('\n') != std::string_view::npos) throw Error(at, "a note is one line", "Comment may have several");
    List& list = scopes_.empty() ? decls_ : scopes_.back().stmts;
    if (list.empty()) throw Error(at, "a note is beside the statement or declaration before it, and there is none");
    (scopes_.empty() && member_ ? member_ : std::get<ObjectPtr>(list.back().v))->set("note", "// " + std::string(s) + (s.empty() || s.back() != '\\' ? "" : "/"));
  }
  void attribute(std::string s, Position at) {
    attributes_.emplace_back(std::move(s));
    attributed_ = at;
  }

  /// Adds pending comments to a property, or what else a Graph or a Mesh has.
  void document_member(const ObjectPtr& member) {
    document(*member, "doc", doc_);
    member_ = member;
  }

  std::uint64_t id() const { return id_; }
  std::uint64_t serial() const { return serial_; }
  std::size_t effects() const { return effects_.size(); }
  /// Whether one of the effects from the given one on is a statement.
  bool calls_since(std::size_t from) const {
    return std::any_of(effects_.begin() + static_cast<std::ptrdiff_t>(from), effects_.end(), [](const EffectPtr& f) { return f->state == Effect::statement; });
  }

  /// The JSON of the program, of which everything must be complete.
  std::string finish() {
    for (const auto& [name, at] : bodies_)
      if (!defined(name)) throw Error(at, name + " has no body", "define(...) gives it one");
    for (const Called& c : calls_) {
      const std::size_t n = arity_.at(c.name);
      if (c.args != n)
        throw Error(c.at, c.name + " has " + std::to_string(n) + (n == 1 ? " parameter" : " parameters") + ", and " + std::to_string(c.args) + (c.args == 1 ? " is given" : " are given"));
    }
    rest();
    std::string out;
    write(out, object({{"_type", "Module"}, {"stmts", decls_}, {"_source", file_name(source_)}}), 0);
    check_text(out, Position{});
    return out + "\n";
  }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  static std::string text(Position at) { return at.known() ? std::string(at.file) + ":" + std::to_string(at.line) : "an unknown place"; }

  static std::string file_name(const std::string& s) { return is_utf8(s) ? s : "?"; }

  static void unique(const std::string& name, Position at, const std::map<std::string, Position>& names) {
    if (const auto it = names.find(name); it != names.end()) throw Error(at, name + " is declared twice", "it is declared at " + text(it->second));
  }

  void take(const EffectPtr& f, Position at, const Expr& x) {
    const std::string hint = "hold its value in a variable: Var<...> old = ...";
    if (f->program != id_) throw Error(at, f->text + " belongs to another program");
    if (f->state == Effect::used) throw Error(at, "the value of " + f->text + " is used twice, which would call it twice", hint);
    const auto overtakes = [&](const EffectPtr& g) {
      return g->state == Effect::statement && g->order > f->order && std::find(x.effects.begin(), x.effects.end(), g) == x.effects.end();
    };
    if (f->serial != serial_ || std::any_of(effects_.begin(), effects_.end(), overtakes))
      throw Error(at, "the value of " + f->text + " is used after other statements, which would move the call behind them", hint);
    if (f->state == Effect::statement) drop(f);
    f->state = Effect::used;
  }

  static void document(Object& node, const char* field, List& pending) {
    if (!pending.empty()) node.set(field, std::move(pending));
    pending.clear();
  }

  void append(const ObjectPtr& node, Position at) {
    document(*node, "doc", doc_);
    document(*node, "attributes", attributes_);
    member_ = nullptr;
    if (at.known()) {
      last_ = at;
      node->set("_line", at.line);
      if (source_ != at.file) node->set("_file", file_name(at.file));
    }
    (scopes_.empty() ? decls_ : scopes_.back().stmts).emplace_back(node);
  }

  /// Ends a list of statements: comments that nothing follows get a node of their own.
  void rest() {
    if (!attributes_.empty()) throw Error(attributed_, "this attribute precedes no statement");
    if (!doc_.empty()) append(object({{"_type", "NOP"}}), Position{});
  }

  std::uint64_t id_;
  std::string source_;
  List decls_;
  std::map<std::string, Position> globals_;
  std::map<std::string, std::pair<std::string, Position>> lets_;  // locals declared by assignment, with their functions
  std::vector<Scope> scopes_;
  std::uint64_t scope_ = 0;
  std::uint64_t serial_ = 0;
  std::string function_;
  List params_;
  std::vector<EffectPtr> effects_;  // of the function under construction
  List doc_, attributes_;           // for the next node
  Position attributed_;
  Position last_;                   // of the last statement that has one
  ObjectPtr member_;                // the last declaration, if it is one of a Graph or a Mesh
  std::vector<std::pair<std::string, Position>> bodies_;
  std::vector<Called> calls_;
  std::map<std::string, std::size_t> arity_;
};

inline void release(const EffectPtr& f) {
  Builder* b = Builder::current();
  if (b == nullptr || b->id() != f->program) throw Error(f->at, f->text + " belongs to another program");
  b->drop(f);
}

// ---------------------------------------------------------------------------
// Traits

template <class T>
inline constexpr bool is_handle = std::is_same_v<T, node> || std::is_same_v<T, edge> || std::is_same_v<T, point> || std::is_same_v<T, element>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_handle<T> || std::is_same_v<T, dist_t>;

/// What a value of type T is in arithmetic.
template <class T>
using rep = std::conditional_t<std::is_same_v<T, edge>, std::int64_t, std::conditional_t<is_handle<T>, int, T>>;

template <class A, class B, class = void>
struct common { using type = decltype(std::declval<A>() + std::declval<B>()); };
template <class A>
struct common<dist_t, A, void> { using type = std::conditional_t<std::is_floating_point_v<A> || (std::is_integral_v<A> && sizeof(A) == 8), A, dist_t>; };
template <class A>
struct common<A, dist_t, std::enable_if_t<!std::is_same_v<A, dist_t>>> : common<dist_t, A> {};
template <class A, class B>
using common_t = typename common<rep<A>, rep<B>>::type;

/// A name that the language declares, such as INF.
template <class T>
struct Word {
  const char* text;
};

struct not_an_operand {};
template <class T>
T type_of(const Value<T>*);
template <class T>
T type_of(const Word<T>*);
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
T type_of(const T*);
not_an_operand type_of(const void*);

template <class X>
using operand_type = std::remove_cv_t<std::remove_reference_t<X>>;
/// The type of an operand: a Value, a name of the language or a number of C++.
template <class X>
struct scalar { using type = decltype(type_of(std::declval<const operand_type<X>*>())); };
template <class X>
using scalar_t = typename scalar<operand_type<X>>::type;
template <class X>
inline constexpr bool is_number_operand = is_number<scalar_t<X>>;
template <class X>
inline constexpr bool is_of_irgl = !std::is_arithmetic_v<operand_type<X>>;
/// For the operators, which apply where an operand is of irgl and all are numbers.
template <class... X>
using if_operands = std::enable_if_t<(is_number_operand<X> && ...) && (is_of_irgl<X> || ...)>;

template <class From, class To>
inline constexpr bool converts = std::is_same_v<From, To> || (is_number<From> && is_number<To>);
template <class A, class B>
inline constexpr bool converts<A*, B*> = std::is_same_v<A, B> || std::is_void_v<B>;

inline Expr expr_of(const Typed& x) { return x.e; }
template <class T>
Expr expr_of(const Word<T>& w) { return word(w.text); }
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
Expr expr_of(T v) { return literal(v); }

template <class F, class = void>
inline constexpr bool may_be_empty = std::is_pointer_v<F>;
template <class F>
inline constexpr bool may_be_empty<F, std::void_t<decltype(std::declval<F&>().operator bool())>> = true;

/// Refuses an empty std::function or a null pointer.
template <class F>
void check_body(const F& body, Position at, const char* what) {
  if constexpr (may_be_empty<F>)
    if (!body) throw Error(at, std::string(what) + " has no body");
}
template <class F>
using if_body = std::enable_if_t<std::is_invocable_v<F>>;

/// An operand with the line where it was written: operators cannot say theirs.
template <class T>
struct At : Typed {
  template <class U, std::enable_if_t<std::is_same_v<scalar_t<U>, T> || (is_number<scalar_t<U>> && !is_handle<T>), int> = 0>
  At(const U& x, Position at = Position::here()) : Typed{expr_of(x)} { e.at = at; }
};

/// The right side of an assignment, with its line.
template <class T>
struct Rhs : Typed {
  template <class U, std::enable_if_t<converts<scalar_t<U>, T>, int> = 0>
  Rhs(const U& x, Position at = Position::here()) : Typed{expr_of(x)} { e.at = at; }
};

/// An argument of a call: the graph, the mesh, or a value.
struct Arg : Typed {
  template <class U, std::enable_if_t<std::is_base_of_v<Typed, U> || !std::is_same_v<scalar_t<U>, not_an_operand>, int> = 0>
  Arg(const U& x, Position where = Position::here()) : Typed{expr_of(x)}, at(where) {}
  Position at;
};

/// A name or a text, with the line where it was written.
struct Named {
  Named(const char* s, Position where = Position::here()) : text(s), at(where) {}
  Named(std::string s, Position where = Position::here()) : text(std::move(s)), at(where) {}
  std::string text;
  Position at;
};

inline ObjectPtr c_expr_node(Json text) {
  return object({{"_type", "Expr"}, {"e", object({{"_type", "CExpr"}, {"expr", std::move(text)}, {"parse", true}})}});
}

/// The members of values of a type.
template <class T>
struct Members : Typed {};
template <>
struct Members<node> : Typed {
  Value<int> id() const;         ///< its number
  Value<int> degree() const;     ///< the number of edges that leave it
  Value<int> in_degree() const;  ///< the number of edges that lead to it
  Range<edge> edges() const;     ///< the edges that leave it
  Range<in_edge> in_edges() const;  ///< the edges that lead to it
};
template <>
struct Members<edge> : Typed {
  Value<node> src() const;
  Value<node> dst() const;
  Value<std::int64_t> id() const;
  Value<int> weight() const;
};
template <>
struct Members<in_edge> : Typed {
  Value<node> src() const;
  Value<int> weight() const;
};
template <>
struct Members<point> : Typed {
  Value<int> id() const;
  Ref<double> x(Position at = Position::here()) const;
  Ref<double> y(Position at = Position::here()) const;
};
template <>
struct Members<element> : Typed {
  Value<int> id() const;
  Ref<point> points(const At<int>& k) const;       ///< corner k = 0, 1, 2
  Ref<element> neighbors(const At<int>& k) const;  ///< the neighbour across the edge from corner k
  Ref<bool> deleted(Position at = Position::here()) const;
};
template <class T>
struct Members<T*> : Typed {
  Ref<T> operator[](const At<int>& i) const { return Ref<T>(element_of(this->e, i.e, i.e.at)); }
  Ref<T> operator*() const { return Ref<T>(unary("*", this->e)); }
};
template <class T, std::size_t N>
struct Members<T[N]> : Typed {
  Ref<T> operator[](const At<int>& i) const { return Ref<T>(element_of(this->e, i.e, i.e.at)); }
};

}  // namespace detail

// ---------------------------------------------------------------------------
// Values

/// An expression of type T. It is text that has not been evaluated: each use
/// evaluates it again. Var holds a value.
template <class T>
class Value : public detail::Members<T> {
 public:
  explicit Value(detail::Expr x) { this->e = std::move(x); }
  template <class U, std::enable_if_t<detail::converts<detail::scalar_t<U>, T> && !std::is_same_v<U, Value>, int> = 0>
  Value(const U& x) {
    this->e = detail::expr_of(x);
    this->e.converted = this->e.converted || !std::is_same_v<detail::scalar_t<U>, T>;
  }
  Value(const Value&) = default;
  /// An assignment is a statement, and a value is no place: Var is.
  Value& operator=(const Value&) = delete;
};

/// An expression that can be assigned to. Assignments are statements.
template <class T>
class Ref : public Value<T> {
 public:
  explicit Ref(detail::Expr x) : Value<T>(std::move(x)) {}
  Ref(const Ref&) = default;

  void operator=(const Ref& x) const { assign(x.e, x.e.at); }
  void operator=(const detail::Rhs<T>& x) const { assign(x.e, x.e.at); }
  void operator+=(const detail::Rhs<T>& x) const { update("+=", x); }
  void operator-=(const detail::Rhs<T>& x) const { update("-=", x); }
  void operator*=(const detail::Rhs<T>& x) const { update("*=", x); }
  void operator/=(const detail::Rhs<T>& x) const { update("/=", x); }
  void operator%=(const detail::Rhs<T>& x) const { update("%=", x); }
  void operator&=(const detail::Rhs<T>& x) const { update("&=", x); }
  void operator|=(const detail::Rhs<T>& x) const { update("|=", x); }
  void operator^=(const detail::Rhs<T>& x) const { update("^=", x); }
  void operator<<=(const detail::Rhs<T>& x) const { update("<<=", x); }
  void operator>>=(const detail::Rhs<T>& x) const { update(">>=", x); }
  void operator++() const { step("++"); }
  void operator--() const { step("--"); }
  void operator++(int) const { step("++"); }
  void operator--(int) const { step("--"); }

 protected:
  void assign(const detail::Expr& x, Position at) const {
    if (!at.known()) at = this->e.at;
    detail::Builder& b = detail::Builder::statement(at, "an assignment");
    const detail::Expr both = detail::make("", detail::cond_level, {&this->e, &x});
    b.take(both, at);
    b.record(detail::object({{"_type", "Assign"}, {"lhs", this->e.text}, {"rhs", x.text}}), at);
  }

 private:
  void update(const char* op, const detail::Expr& x) const {
    detail::Builder& b = detail::Builder::statement(x.at, "an assignment");
    const detail::Expr both = detail::make(this->e.text + " " + op + " " + x.text, detail::cond_level, {&this->e, &x});
    const std::string text = b.take(both, x.at);
    b.record(detail::c_expr_node(text), x.at);
  }
  void update(const char* op, const detail::Rhs<T>& x) const { update(op, x.e); }
  void step(const char* op) const {
    detail::Builder& b = detail::Builder::statement(this->e.at, "an assignment");
    const std::string text = b.take(this->e, this->e.at);
    b.record(detail::c_expr_node(text + op), this->e.at);
  }
};

using Int = Value<int>;
using Unsigned = Value<unsigned>;
using Long = Value<std::int64_t>;
using UnsignedLong = Value<std::uint64_t>;
using Float = Value<float>;
using Double = Value<double>;
using Bool = Value<bool>;
using Node = Value<node>;
using Edge = Value<edge>;
using InEdge = Value<in_edge>;
using Point = Value<point>;
using Element = Value<element>;

/// The largest int; infinity where a float or double is expected.
inline constexpr detail::Word<int> INF{"INF"};
/// The largest dist_t, which is not the length of a path.
inline constexpr detail::Word<dist_t> DIST_MAX{"DIST_MAX"};
/// The threads of a warp: 1 where a core runs the program.
inline constexpr detail::Word<int> WARP_SIZE{"WARP_SIZE"};
// In the initialiser of a property: the number of the node or edge, and the
// numbers of its edges.
inline constexpr detail::Word<int> id{"id"};
inline constexpr detail::Word<int> degree{"degree"};
inline constexpr detail::Word<int> in_degree{"in_degree"};

// Operators. Operands are Values, and numbers of C++ beside them.
namespace detail {
template <class R, class A, class B>
Value<R> apply(const char* op, int level, const A& a, const B& b) { return Value<R>(binary(op, level, expr_of(a), expr_of(b))); }
}  // namespace detail

template <class A, class B, class = detail::if_operands<A, B>>
auto operator+(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("+", detail::add_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator-(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("-", detail::add_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator*(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("*", detail::mul_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator/(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("/", detail::mul_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator%(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("%", detail::mul_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator&(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("&", detail::bitand_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator|(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("|", detail::bitor_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator^(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("^", detail::bitxor_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator<<(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, int>>("<<", detail::shift_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto operator>>(const A& a, const B& b) { return detail::apply<detail::common_t<detail::scalar_t<A>, int>>(">>", detail::shift_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator==(const A& a, const B& b) { return detail::apply<bool>("==", detail::eq_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator!=(const A& a, const B& b) { return detail::apply<bool>("!=", detail::eq_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator<(const A& a, const B& b) { return detail::apply<bool>("<", detail::rel_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator<=(const A& a, const B& b) { return detail::apply<bool>("<=", detail::rel_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator>(const A& a, const B& b) { return detail::apply<bool>(">", detail::rel_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator>=(const A& a, const B& b) { return detail::apply<bool>(">=", detail::rel_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator&&(const A& a, const B& b) { return detail::apply<bool>("&&", detail::and_level, a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
Bool operator||(const A& a, const B& b) { return detail::apply<bool>("||", detail::or_level, a, b); }

template <class A, class = detail::if_operands<A>>
Bool operator!(const A& a) { return Bool(detail::unary("!", detail::expr_of(a))); }
template <class A, class = detail::if_operands<A>>
auto operator-(const A& a) { return Value<detail::common_t<detail::scalar_t<A>, int>>(detail::unary("-", detail::expr_of(a))); }
template <class A, class = detail::if_operands<A>>
auto operator+(const A& a) { return Value<detail::common_t<detail::scalar_t<A>, int>>(detail::unary("+", detail::expr_of(a))); }
template <class A, class = detail::if_operands<A>>
auto operator~(const A& a) { return Value<detail::common_t<detail::scalar_t<A>, int>>(detail::unary("~", detail::expr_of(a))); }

/// c ? a : b
template <class A, class B, class = std::enable_if_t<detail::is_number_operand<A> && detail::is_number_operand<B>>>
auto choose(const Bool& c, const A& a, const B& b) {
  using S = detail::scalar_t<A>;
  using R = std::conditional_t<std::is_same_v<S, detail::scalar_t<B>>, S, detail::common_t<S, detail::scalar_t<B>>>;
  const detail::Expr x = detail::expr_of(a), y = detail::expr_of(b);
  detail::Expr z = detail::make(detail::brackets(c.e, detail::or_level) + " ? " + x.text + " : " + y.text, detail::cond_level, {&c.e, &x, &y});
  z.converted = x.converted || y.converted;
  return Value<R>(std::move(z));
}

/// (T)x
template <class T, class A, class = std::enable_if_t<!std::is_same_v<detail::scalar_t<A>, detail::not_an_operand>>>
Value<T> cast(const A& a) {
  const detail::Expr x = detail::expr_of(a);
  return Value<T>(detail::make("(" + type_name<T>::text() + ")" + detail::brackets(x, detail::unary_level), detail::unary_level, {&x}));
}

/// &x
template <class T>
Value<T*> address(const Ref<T>& x) { return Value<T*>(detail::unary("&", x.e)); }

/// x.name, of a type that a CBlock declares.
template <class T, class S>
Ref<T> member(const Value<S>& x, const std::string& name) { return Ref<T>(detail::member(x.e, name)); }

/// An expression in C text, for what this header has no name for.
template <class T>
Ref<T> c_expr(const std::string& text) {
  detail::Expr x = detail::word(text);
  if (!detail::is_name(text)) x.level = detail::cond_level;
  return Ref<T>(std::move(x));
}

// ---------------------------------------------------------------------------
// Ranges, and the worklist

/// What a loop is over: its variable is a T.
template <class T>
class Range : public detail::Typed {
 public:
  explicit Range(detail::Expr x) : detail::Typed{std::move(x)} {}
  Value<T> operator[](const detail::At<int>& i) const { return Value<T>(detail::element_of(e, i.e, i.e.at)); }
};

/// The ints from 0 to high - 1.
inline Range<int> range(const Int& high) { return Range<int>(detail::call("range", {high.e})); }
/// The ints from low to high - 1.
inline Range<int> range(const Int& low, const Int& high) { return Range<int>(detail::call("range", {low.e, high.e})); }

namespace detail {

inline Value<int> Members<node>::id() const { return Value<int>(member(e, "id")); }
inline Value<int> Members<node>::degree() const { return Value<int>(member(e, "degree")); }
inline Value<int> Members<node>::in_degree() const { return Value<int>(member(e, "in_degree")); }
inline Range<edge> Members<node>::edges() const { return Range<edge>(member(e, "edges")); }
inline Range<in_edge> Members<node>::in_edges() const { return Range<in_edge>(member(e, "in_edges")); }
inline Value<node> Members<edge>::src() const { return Value<node>(member(e, "src")); }
inline Value<node> Members<edge>::dst() const { return Value<node>(member(e, "dst")); }
inline Value<std::int64_t> Members<edge>::id() const { return Value<std::int64_t>(member(e, "id")); }
inline Value<int> Members<edge>::weight() const { return Value<int>(member(e, "weight")); }
inline Value<node> Members<in_edge>::src() const { return Value<node>(member(e, "src")); }
inline Value<int> Members<in_edge>::weight() const { return Value<int>(member(e, "weight")); }
inline Value<int> Members<point>::id() const { return Value<int>(member(e, "id")); }
inline Value<int> Members<element>::id() const { return Value<int>(member(e, "id")); }

inline Expr member(const Expr& of, const char* name, Position at) {
  Expr x = member(of, name);
  x.at = at;
  return x;
}
inline Ref<double> Members<point>::x(Position at) const { return Ref<double>(member(e, "x", at)); }
inline Ref<double> Members<point>::y(Position at) const { return Ref<double>(member(e, "y", at)); }
inline Ref<bool> Members<element>::deleted(Position at) const { return Ref<bool>(member(e, "deleted", at)); }
inline Ref<point> Members<element>::points(const At<int>& k) const { return Ref<point>(element_of(member(e, "points"), k.e, k.e.at)); }
inline Ref<element> Members<element>::neighbors(const At<int>& k) const { return Ref<element>(element_of(member(e, "neighbors"), k.e, k.e.at)); }

/// A method of the worklist or the mesh as a statement.
inline ObjectPtr method(const Expr& obj, const char* type, const char* name, const std::vector<Expr>& args) {
  List texts;
  for (const Expr& a : args) texts.emplace_back(a.text);
  return object({{"_type", "Expr"}, {"e", object({{"_type", "MethodInvocation"}, {"obj", obj.text}, {"method", name}, {"obj_type", type}, {"args", std::move(texts)}})}});
}

/// A call that does something: a statement unless its value is used.
template <class T>
Value<T> effect(Expr x, const ObjectPtr& node, Position at) {
  Builder& b = Builder::statement(at, x.text);
  b.take(x, at);
  b.record_effect(x, node, at);
  return Value<T>(std::move(x));
}

}  // namespace detail

/// The worklist of a kernel. As a range, it has the indices of its items.
struct Worklist {
  /// Item i of the in list.
  template <class T = node>
  Value<T> pop(const Int& i) const {
    detail::Expr x = detail::call("WL.pop", {i.e});
    x.converted = !std::is_same_v<T, node>;  // the variable that takes it says what the items are
    return Value<T>(std::move(x));
  }
  /// Appends to the out list.
  void push(const detail::Arg& item) const {
    detail::Builder& b = detail::Builder::statement(item.at, "WL.push");
    b.take(item.e, item.at);
    b.record(detail::method(detail::word("WL"), "Worklist", "push", {item.e}), item.at);
  }
  Int size() const { return Int(detail::word("WL.size")); }
  operator Range<int>() const { return Range<int>(detail::word("WL")); }
};
inline constexpr Worklist WL{};

// ---------------------------------------------------------------------------
// Declarations of the file

/// What a program requires of its graph or mesh.
struct Requirement {
  const char* word;
};
namespace Requires {
inline constexpr Requirement weights{"weights"}, nonnegative{"nonnegative"}, conservative{"conservative"}, symmetric{"symmetric"},
    sorted{"sorted"}, noloops{"noloops"}, nodups{"nodups"}, delaunay{"delaunay"};
}  // namespace Requires

/// Marks a property or a global as a result of the program.
struct OutputTag {};
inline constexpr OutputTag Output{};

namespace detail {

/// An initialiser that may be left out, and whether what it initialises is an output.
template <class T>
struct Init {
  Init() = default;
  template <class U, std::enable_if_t<converts<scalar_t<U>, T>, int> = 0>
  Init(const U& value) : x(expr_of(value)), given(true) {}
  Expr x;
  bool given = false;

  Json take(Builder& b, Position at) const { return given ? Json(b.take(x, at)) : Json(nullptr); }
};
/// That of an array: a list in braces.
template <class T, std::size_t N>
struct Init<T[N]> {
  Init() = default;
  Init(std::initializer_list<Init<T>> list) : given(true) {
    for (const Init<T>& i : list) {
      x.text += (x.text.empty() ? "{" : ", ") + i.x.text;
      absorb(x, i.x);
    }
    x.text += "}";
  }
  Expr x;
  bool given = false;

  Json take(Builder& b, Position at) const { return given ? Json(b.take(x, at)) : Json(nullptr); }
};
struct Flags {
  Flags() = default;
  Flags(OutputTag) : output(true) {}
  bool output = false;
};

/// The declaration of a Graph or a Mesh.
class Structure : public Typed {
 protected:
  Structure(const char* word, const std::string& name, std::initializer_list<Requirement> needs, Position at) {
    Builder& b = Builder::declaration(at, word);
    symbol_ = b.global(name, at, word);
    e = b.use(symbol_);
    List words;
    for (const Requirement& r : needs) words.emplace_back(r.word);
    node_ = b.record(object({{"_type", word}, {"name", name}, {"requires", std::move(words)}, {"props", List{}}, {"racy", List{}}}), at);
  }

 public:
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  /// Says that threads race on a property or a global on purpose, and why this is harmless.
  void racy(const std::string& name, const std::string& reason, Position at = Position::here()) const {
    Builder& b = Builder::declaration(at, "racy");
    b.take(e, at);
    b.check_name(name, at);
    b.check_text(reason, at);
    const ObjectPtr r = object({{"name", name}, {"reason", reason}, {"_line", at.line}});
    b.document_member(r);
    add("racy", r);
  }
  void racy(const Typed& global, const std::string& reason, Position at = Position::here()) const { racy(global.e.text, reason, at); }

  void property(const char* domain, const std::string& name, const std::string& type, Json init, bool output, Position at) const {
    Builder& b = Builder::declaration(at, "a property");
    b.take(e, at);
    b.check_name(name, at);
    const std::string key = std::string(domain) + " " + name;
    for (const auto& p : std::get<List>(node_->find("props")->v))
      if (std::get<std::string>(std::get<ObjectPtr>(p.v)->find("name")->v) == name && std::get<std::string>(std::get<ObjectPtr>(p.v)->find("domain")->v) == domain)
        throw Error(at, "the property " + name + " is declared twice");
    const ObjectPtr p = object({{"type", type}, {"name", name}, {"initializer", std::move(init)}, {"domain", domain}, {"output", output}, {"_line", at.line}});
    b.document_member(p);
    add("props", p);
  }

 private:
  void add(const char* list, const ObjectPtr& item) const { std::get<List>(node_->find(list)->v).emplace_back(item); }

  SymbolPtr symbol_;
  ObjectPtr node_;
};

}  // namespace detail

/// The graph of a program.
class Graph : public detail::Structure {
 public:
  explicit Graph(const std::string& name, Position at = Position::here()) : Structure("Graph", name, {}, at) {}
  Graph(const std::string& name, std::initializer_list<Requirement> needs, Position at = Position::here()) : Structure("Graph", name, needs, at) {}

  Range<node> nodes() const { return Range<node>(detail::member(e, "nodes")); }
  Node nodes(const Int& i) const { return Node(detail::method_call(e, "nodes", {i.e})); }
  Range<edge> edges() const { return Range<edge>(detail::member(e, "edges")); }
  Range<edge> edges(const Node& n) const { return Range<edge>(detail::method_call(e, "edges", {n.e})); }
  Int nnodes() const { return Int(detail::member(e, "nnodes")); }
  Long nedges() const { return Long(detail::member(e, "nedges")); }
};

/// The triangle mesh of a program.
class Mesh : public detail::Structure {
 public:
  explicit Mesh(const std::string& name, Position at = Position::here()) : Structure("Mesh", name, {}, at) {}
  Mesh(const std::string& name, std::initializer_list<Requirement> needs, Position at = Position::here()) : Structure("Mesh", name, needs, at) {}

  Range<point> points() const { return Range<point>(detail::member(e, "points")); }
  Point points(const Int& i) const { return Point(detail::method_call(e, "points", {i.e})); }
  Range<element> elements() const { return Range<element>(detail::member(e, "elements")); }
  Element elements(const Int& i) const { return Element(detail::method_call(e, "elements", {i.e})); }
  Int npoints() const { return Int(detail::member(e, "npoints")); }
  Int nelements() const { return Int(detail::member(e, "nelements")); }
  Point add_point(const Double& x, const Double& y, Position at = Position::here()) const { return add<point>("add_point", {x.e, y.e}, at); }
  Element add_element(const Point& a, const Point& b, const Point& c, Position at = Position::here()) const {
    return add<element>("add_element", {a.e, b.e, c.e}, at);
  }

 private:
  template <class T>
  Value<T> add(const char* name, const std::vector<detail::Expr>& args, Position at) const {
    return detail::effect<T>(detail::method_call(e, name, args), detail::method(e, "Mesh", name, args), at);
  }
};

namespace detail {

/// A property: an array with a value of type T for each D.
template <class T, class D>
class Property {
 public:
  Property(const Structure& of, const char* domain, const std::string& name, const Init<T>& init, Flags flags, Position at) : name_(name) {
    Builder& b = Builder::declaration(at, "a property");
    of.property(domain, name, type_name<T>::text(), init.take(b, at), flags.output, at);
    program_ = b.id();
    of_ = &of;
  }
  Property(const Property&) = delete;
  Property& operator=(const Property&) = delete;

  /// The value of an element.
  Ref<T> operator[](const At<D>& x) const {
    const Builder& b = Builder::get(x.e.at, "the property " + name_);
    if (b.id() != program_) throw Error(x.e.at, "the property " + name_ + " belongs to another program");
    Expr m = member(x.e, name_);
    m.at = x.e.at;
    return Ref<T>(std::move(m));
  }
  /// Says that threads race on the property on purpose, and why this is harmless.
  void racy(const std::string& reason, Position at = Position::here()) const { of_->racy(name_, reason, at); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::uint64_t program_ = 0;
  const Structure* of_ = nullptr;
};

}  // namespace detail

/// A value for each node of the graph.
template <class T>
class NodeProperty : public detail::Property<T, node> {
 public:
  NodeProperty(const Graph& g, const std::string& name, const detail::Init<T>& init = {}, detail::Flags flags = {}, Position at = Position::here())
      : detail::Property<T, node>(g, "Node", name, init, flags, at) {}
  NodeProperty(const Graph& g, const std::string& name, OutputTag output, Position at = Position::here()) : NodeProperty(g, name, {}, output, at) {}
};
/// A value for each edge of the graph.
template <class T>
class EdgeProperty : public detail::Property<T, edge> {
 public:
  EdgeProperty(const Graph& g, const std::string& name, const detail::Init<T>& init = {}, detail::Flags flags = {}, Position at = Position::here())
      : detail::Property<T, edge>(g, "Edge", name, init, flags, at) {}
  EdgeProperty(const Graph& g, const std::string& name, OutputTag output, Position at = Position::here()) : EdgeProperty(g, name, {}, output, at) {}
};
/// A value for each point of the mesh.
template <class T>
class PointProperty : public detail::Property<T, point> {
 public:
  PointProperty(const Mesh& m, const std::string& name, const detail::Init<T>& init = {}, detail::Flags flags = {}, Position at = Position::here())
      : detail::Property<T, point>(m, "Point", name, init, flags, at) {}
  PointProperty(const Mesh& m, const std::string& name, OutputTag output, Position at = Position::here()) : PointProperty(m, name, {}, output, at) {}
};
/// A value for each element of the mesh.
template <class T>
class ElementProperty : public detail::Property<T, element> {
 public:
  ElementProperty(const Mesh& m, const std::string& name, const detail::Init<T>& init = {}, detail::Flags flags = {}, Position at = Position::here())
      : detail::Property<T, element>(m, "Element", name, init, flags, at) {}
  ElementProperty(const Mesh& m, const std::string& name, OutputTag output, Position at = Position::here()) : ElementProperty(m, name, {}, output, at) {}
};

namespace detail {

/// Declares a variable of the file or of a block, and returns its name as an expression.
inline Expr declare(Builder& b, bool global, const std::string& name, const std::string& type, Json init, bool output, Position at) {
  const SymbolPtr s = global ? b.global(name, at, "the global") : b.local(name, at);
  const ObjectPtr decl = object({{"type", type}, {"name", name}, {"initializer", std::move(init)}});
  const ObjectPtr node = object({{"_type", global ? "CDeclGlobal" : "CDecl"}, {"decls", List{decl}}, {"parse", true}, {"dont_move", false}});
  if (output) node->set("attrs", List{"Output"});
  b.record(node, at);
  Expr x = b.use(s);
  x.at = at;
  return x;
}

/// The type text of an array whose length is an expression.
template <class T>
std::string array_type(Builder& b, const Int& length, Position at) {
  return type_name<T>::text() + " [" + b.take(length.e, at) + "]";
}

/// What a variable without a name is called.
template <class T>
constexpr const char* base_name() {
  if (std::is_same_v<T, node>) return "n";
  if (std::is_same_v<T, edge> || std::is_same_v<T, in_edge>) return "e";
  if (std::is_same_v<T, point>) return "p";
  if (std::is_same_v<T, element>) return "t";
  return "x";
}
/// What the variable of a loop without a name is called.
template <class T>
constexpr const char* loop_name() { return std::is_same_v<T, int> ? "i" : base_name<T>(); }

}  // namespace detail

/// A variable of the file, in device memory: Global<int> total("total", 0, Output),
/// Global<int[3]> table("table", {1, 2, 3}).
template <class T>
class Global : public Ref<T> {
 public:
  explicit Global(const std::string& name, const detail::Init<T>& init = {}, detail::Flags flags = {}, Position at = Position::here())
      : Ref<T>(make(name, init, flags, at)) {}
  Global(const std::string& name, OutputTag output, Position at = Position::here()) : Global(name, {}, output, at) {}
  Global(const Global&) = delete;
  using Ref<T>::operator=;
  void operator=(const Global& x) const { this->assign(x.e, x.e.at); }

 private:
  static detail::Expr make(const std::string& name, const detail::Init<T>& init, detail::Flags flags, Position at) {
    detail::Builder& b = detail::Builder::declaration(at, "a global variable");
    detail::Expr x = detail::declare(b, true, name, type_name<T>::text(), init.take(b, at), flags.output, at);
    x.at = Position{};  // of the declaration, not of an assignment
    return x;
  }
};

/// An array of the file whose length is an expression, such as a Constant.
template <class T>
class GlobalArray : public Value<T*> {
 public:
  GlobalArray(const std::string& name, const Int& length, detail::Flags flags = {}, Position at = Position::here())
      : Value<T*>(make(name, length, flags, at)) {}
  GlobalArray(const GlobalArray&) = delete;
  GlobalArray& operator=(const GlobalArray&) = delete;

 private:
  static detail::Expr make(const std::string& name, const Int& length, detail::Flags flags, Position at) {
    detail::Builder& b = detail::Builder::declaration(at, "a global array");
    return detail::declare(b, true, name, detail::array_type<T>(b, length, at), nullptr, flags.output, at);
  }
};

/// #define name value
template <class T>
class Constant : public Value<T> {
 public:
  Constant(const std::string& name, const detail::Init<T>& value, Position at = Position::here()) : Value<T>(make(name, value, at)) {}
  Constant(const Constant&) = delete;
  Constant& operator=(const Constant&) = delete;

 private:
  static detail::Expr make(const std::string& name, const detail::Init<T>& value, Position at) {
    detail::Builder& b = detail::Builder::declaration(at, "a constant");
    const detail::SymbolPtr s = b.global(name, at, "the constant");
    b.record(detail::object({{"_type", "Names"}, {"names", detail::List{name}}, {"values", detail::List{value.take(b, at)}}}), at);
    return b.use(s);
  }
};

/// A name that the text of a CBlock defines, an int.
class Foreign : public Int {
 public:
  explicit Foreign(const std::string& name, Position at = Position::here()) : Int(make(name, at)) {}
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

 private:
  static detail::Expr make(const std::string& name, Position at) {
    detail::Builder& b = detail::Builder::declaration(at, "a foreign name");
    const detail::SymbolPtr s = b.global(name, at, "the foreign name");
    b.record(detail::object({{"_type", "Names"}, {"names", detail::List{name}}}), at);
    return b.use(s);
  }
};

// ---------------------------------------------------------------------------
// Functions

/// CUDA's __launch_bounds__: at most threads per block, and blocks per multiprocessor.
struct LaunchBounds {
  explicit LaunchBounds(const Int& max_threads) : threads(max_threads) {}
  LaunchBounds(const Int& max_threads, const Int& min_blocks) : threads(max_threads), blocks{min_blocks} {}
  Int threads;
  std::vector<Int> blocks;
};

namespace detail {

/// The name of a function, and its arguments in a call.
class Callable {
 public:
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;

 protected:
  Callable(const char* what, const std::string& name, Position at) : name_(name) {
    Builder& b = Builder::declaration(at, what);
    symbol_ = b.global(name, at, what);
    b.declare(name, at);
  }
  ~Callable() = default;

  /// Records the function, whose parameters begin with the graph or mesh.
  template <class F>
  void define(const char* result, bool host, bool device, std::initializer_list<const Typed*> graphs, const LaunchBounds* bounds, const F& body, Position at) {
    Builder& b = Builder::declaration(at, "the body of " + name_);
    if (b.id() != symbol_->program) throw Error(at, name_ + " belongs to another program");
    if (b.defined(name_)) throw Error(at, name_ + " has a body already");
    check_body(body, at, name_.c_str());
    List params;
    for (const Typed* g : graphs) params.emplace_back(object({{"type", nullptr}, {"name", b.take(g->e, at)}}));
    const ObjectPtr node = object({{"_type", "Kernel"}, {"name", name_}, {"params", List{}}, {"stmts", nullptr}, {"ret_type", result}, {"host", host}, {"device", device}});
    if (bounds != nullptr) {
      List texts{b.take(bounds->threads.e, at)};
      for (const Int& x : bounds->blocks) texts.emplace_back(b.take(x.e, at));
      node->set("launch_bounds", std::move(texts));
    }
    b.record(node, at);
    b.function(node, name_, std::move(params), body);
  }

  /// The arguments of a call, as an expression.
  Expr call(const std::vector<const Expr*>& args, Position at) const {
    Builder& b = Builder::statement(at, "the call of " + name_);
    b.called(name_, args.size(), at);
    Expr x;
    x.symbols.push_back(symbol_);
    for (const Expr* a : args) {
      x.text += (x.text.empty() ? "" : ", ") + a->text;
      absorb(x, *a);
    }
    x.text = name_ + "(" + x.text + ")";
    x.at = at;
    return x;
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  SymbolPtr symbol_;
};

}  // namespace detail

/// A kernel with its arguments, for Invoke, Iterate, Any and All.
class [[nodiscard]] Call {
 public:
  Call(std::string kernel, std::vector<std::string> args, detail::Expr x) : kernel_(std::move(kernel)), args_(std::move(args)), x_(std::move(x)) {}

  const detail::Expr& expr() const { return x_; }
  Position at() const { return x_.at; }
  /// The fields that Invoke and Iterate share.
  void set(detail::Object& node) const {
    node.set("kernel", kernel_);
    node.set("args", detail::List(args_.begin(), args_.end()));
  }

 private:
  std::string kernel_;
  std::vector<std::string> args_;
  detail::Expr x_;
};

namespace detail {
template <class... S>
using if_structures = std::enable_if_t<(std::is_base_of_v<Structure, S> && ...)>;
}  // namespace detail

/// A kernel. Its parameters are the graph or mesh, then each Param in its body.
class Kernel : public detail::Callable {
 public:
  template <class F, class = detail::if_body<F>>
  Kernel(const std::string& name, const F& body, Position at = Position::here()) : Kernel(name, at) { define(body, at); }
  template <class S, class F, class = detail::if_structures<S>, class = detail::if_body<F>>
  Kernel(const std::string& name, const S& g, const F& body, Position at = Position::here()) : Kernel(name, at) { define(g, body, at); }
  template <class S, class T, class F, class = detail::if_structures<S, T>, class = detail::if_body<F>>
  Kernel(const std::string& name, const S& g, const T& m, const F& body, Position at = Position::here()) : Kernel(name, at) { define(g, m, body, at); }
  template <class F, class = detail::if_body<F>>
  Kernel(const std::string& name, const LaunchBounds& bounds, const F& body, Position at = Position::here()) : Kernel(name, bounds, at) { define(body, at); }
  template <class S, class F, class = detail::if_structures<S>, class = detail::if_body<F>>
  Kernel(const std::string& name, const LaunchBounds& bounds, const S& g, const F& body, Position at = Position::here()) : Kernel(name, bounds, at) {
    define(g, body, at);
  }
  template <class S, class T, class F, class = detail::if_structures<S, T>, class = detail::if_body<F>>
  Kernel(const std::string& name, const LaunchBounds& bounds, const S& g, const T& m, const F& body, Position at = Position::here())
      : Kernel(name, bounds, at) {
    define(g, m, body, at);
  }
  /// A kernel whose body define gives it later.
  explicit Kernel(const std::string& name, Position at = Position::here()) : Callable("the kernel", name, at) {}
  Kernel(const std::string& name, const LaunchBounds& bounds, Position at = Position::here()) : Callable("the kernel", name, at), bounds_{bounds} {}

  template <class F, class = detail::if_body<F>>
  void define(const F& body, Position at = Position::here()) { record({}, body, at); }
  template <class S, class F, class = detail::if_structures<S>, class = detail::if_body<F>>
  void define(const S& g, const F& body, Position at = Position::here()) { record({&g}, body, at); }
  template <class S, class T, class F, class = detail::if_structures<S, T>, class = detail::if_body<F>>
  void define(const S& g, const T& m, const F& body, Position at = Position::here()) { record({&g, &m}, body, at); }

  Call operator()(Position at = Position::here()) const { return Call(name(), {}, call({}, at)); }
  template <class... R>
  Call operator()(const detail::Arg& first, const R&... rest) const {
    const detail::Expr exprs[] = {first.e, detail::Arg(rest, first.at).e...};
    std::vector<const detail::Expr*> args;
    std::vector<std::string> texts;
    for (const detail::Expr& x : exprs) {
      args.push_back(&x);
      texts.push_back(x.text);
    }
    return Call(name(), std::move(texts), call(args, first.at));
  }

 private:
  template <class F>
  void record(std::initializer_list<const detail::Typed*> structures, const F& body, Position at) {
    Callable::define("void", false, false, structures, bounds_.empty() ? nullptr : &bounds_.front(), body, at);
  }

  std::vector<LaunchBounds> bounds_;  // one or none
};

/// A host function. Each Param in its body is a parameter; those of the entry
/// are the arguments of a run.
class Host : public detail::Callable {
 public:
  template <class F, class = detail::if_body<F>>
  Host(const std::string& name, const F& body, Position at = Position::here()) : Host(name, at) { define(body, at); }
  explicit Host(const std::string& name, Position at = Position::here()) : Callable("the host function", name, at) {}
  template <class F, class = detail::if_body<F>>
  void define(const F& body, Position at = Position::here()) { Callable::define("void", true, false, {}, nullptr, body, at); }

  void operator()(Position at = Position::here()) const { invoke({}, at); }
  template <class... R>
  void operator()(const detail::Arg& first, const R&... rest) const {
    const detail::Expr exprs[] = {first.e, detail::Arg(rest, first.at).e...};
    std::vector<const detail::Expr*> args;
    for (const detail::Expr& x : exprs) args.push_back(&x);
    invoke(args, first.at);
  }

 private:
  void invoke(const std::vector<const detail::Expr*>& args, Position at) const {
    const detail::Expr x = call(args, at);
    detail::Builder& b = detail::Builder::statement(at, name());
    const std::string text = b.take(x, at);
    b.record(detail::c_expr_node(text), at);
  }
};

/// A plain C function, which kernels and host functions call.
template <class R>
class Function : public detail::Callable {
 public:
  template <class F, class = detail::if_body<F>>
  Function(const std::string& name, const F& body, Position at = Position::here()) : Function(name, at) { define(body, at); }
  explicit Function(const std::string& name, Position at = Position::here()) : Callable("the function", name, at) {}
  template <class F, class = detail::if_body<F>>
  void define(const F& body, Position at = Position::here()) {
    static const std::string result = type_name<R>::text();
    Callable::define(result.c_str(), true, true, {}, nullptr, body, at);
  }

  /// A call is a statement unless its value is used.
  auto operator()(Position at = Position::here()) const { return result(call({}, at), at); }
  template <class... Rest>
  auto operator()(const detail::Arg& first, const Rest&... rest) const {
    const detail::Expr exprs[] = {first.e, detail::Arg(rest, first.at).e...};
    std::vector<const detail::Expr*> args;
    for (const detail::Expr& x : exprs) args.push_back(&x);
    return result(call(args, first.at), first.at);
  }

 private:
  static auto result(const detail::Expr& x, Position at) {
    if constexpr (std::is_void_v<R>) {
      detail::Builder& b = detail::Builder::statement(at, "a call");
      const std::string text = b.take(x, at);
      b.record(detail::c_expr_node(text), at);
    } else {
      return detail::effect<R>(x, detail::c_expr_node(x.text), at);
    }
  }
};

/// A parameter of the function whose body it is first in. That of an entry may
/// have a default.
template <class T>
class Param : public Ref<T> {
 public:
  explicit Param(const std::string& name, const detail::Init<T>& init = {}, Position at = Position::here()) : Ref<T>(make(name, init, at)) {}
  Param(const Param&) = delete;
  using Ref<T>::operator=;
  void operator=(const Param& x) const { this->assign(x.e, x.e.at); }

 private:
  static detail::Expr make(const std::string& name, const detail::Init<T>& init, Position at) {
    detail::Builder& b = detail::Builder::statement(at, "a parameter");
    const detail::ObjectPtr p = detail::object({{"type", type_name<T>::text()}, {"name", name}});
    if (init.given) p->set("default", init.take(b, at));
    p->set("_line", at.line);
    b.param(p, at);
    return b.use(b.local(name, at));
  }
};

/// A local variable: a declaration where it is constructed, as in
/// Var<int> sum("sum", 0). Without a name, as in Var<int> d = dist[n], it gets one.
/// A copy is another variable.
template <class T>
class Var : public Ref<T> {
 public:
  explicit Var(const std::string& name, const detail::Init<T>& init = {}, Position at = Position::here())
      : Ref<T>(make(name, init, at)) {}
  template <class U, std::enable_if_t<detail::converts<detail::scalar_t<U>, T>, int> = 0>
  Var(const U& init, Position at = Position::here())
      : Ref<T>(make("", init, at)) {}
  Var(const Var& x, Position at = Position::here())
      : Ref<T>(make("", x, at)) {}

  using Ref<T>::operator=;
  // Not const Var&, to which any value would convert by declaring a variable.
  void operator=(Var& x) const { this->assign(x.e, x.e.at); }

  /// A variable that is declared elsewhere.
  explicit Var(detail::Expr x) : Ref<T>(std::move(x)) {}

 private:
  static detail::Expr make(const std::string& name, const detail::Init<T>& init, Position at) {
    detail::Builder& b = detail::Builder::statement(at, "a variable");
    detail::Json value = init.take(b, at);
    detail::Expr x = detail::declare(b, false, name.empty() ? b.fresh(detail::base_name<T>()) : name, type_name<T>::text(), std::move(value), false, at);
    x.at = Position{};
    return x;
  }
};

namespace detail {
/// Declares by assignment. A value of type T whose text has another type, which an
/// assignment would give the variable, gets a declaration.
template <class T = void, class X>
Expr let(const std::string& name, const X& value, Position at) {
  Builder& b = Builder::statement(at, "a variable");
  const Expr x = expr_of(value);
  const std::string text = b.take(x, at);
  if constexpr (!std::is_void_v<T>) {
    if (x.converted) {
      Expr d = declare(b, false, name, type_name<T>::text(), text, false, at);
      d.at = Position{};
      return d;
    }
  }
  const SymbolPtr s = b.local(name, at, true);
  b.record(object({{"_type", "Assign"}, {"lhs", name}, {"rhs", text}}), at);
  return b.use(s);
}
}  // namespace detail

/// A local variable with the type of its value: a first assignment, n = ...
template <class X, class = std::enable_if_t<!std::is_same_v<detail::scalar_t<X>, detail::not_an_operand>>>
auto Let(const std::string& name, const X& value, Position at = Position::here()) {
  using T = detail::scalar_t<X>;
  return Var<T>(detail::let<T>(name, value, at));
}
template <class T>
Range<T> Let(const std::string& name, const Range<T>& value, Position at = Position::here()) {
  return Range<T>(detail::let(name, value, at));
}

/// The first n elements of an array, or those from low on and below high.
struct Slice {
  detail::Expr array;
  std::vector<Int> low, high, step;  // each with one element or none
  Position at;

  std::string text(detail::Builder& b) const {
    const auto part = [&](const std::vector<Int>& x) { return x.empty() ? std::string() : b.take(x.front().e, at); };
    const std::string by = part(step);
    return b.take(array, at) + "[" + part(low) + " : " + part(high) + (by.empty() ? "" : " : " + by) + "]";
  }
  detail::ObjectPtr item(detail::Builder& b) const {
    const std::string name = b.take(array, at), end = b.take(high.front().e, at);
    if (low.empty()) return detail::object({{"_type", "Array"}, {"size", end}, {"name", name}});
    return detail::object({{"_type", "ArrayIterator"}, {"array", name}, {"start", b.take(low.front().e, at)}, {"end", end}, {"step", step.empty() ? detail::Json(nullptr) : detail::Json(b.take(step.front().e, at))}});
  }
};
template <class A>
Slice slice(const Value<A>& array, const Int& n, Position at = Position::here()) { return Slice{array.e, {}, {n}, {}, at}; }
template <class A>
Slice slice(const Value<A>& array, const Int& low, const Int& high, Position at = Position::here()) { return Slice{array.e, {low}, {high}, {}, at}; }
template <class A>
Slice slice(const Value<A>& array, const Int& low, const Int& high, const Int& step, Position at = Position::here()) {
  return Slice{array.e, {low}, {high}, {step}, at};
}

// ---------------------------------------------------------------------------
// Statements

namespace detail {

/// The list of one Block that loops and branches have.
inline List one(ObjectPtr block) { return List{std::move(block)}; }

/// A statement that another part may follow: Else.
class Part {
 protected:
  Part(ObjectPtr node, const char* field, const char* what) : node_(std::move(node)), field_(field), what_(what), serial_(Builder::current()->serial()), effects_(Builder::current()->effects()) {}

  Builder& follow(Position at) {
    Builder& b = Builder::statement(at, "Else");
    if (serial_ != b.serial() || done_) refuse(at);
    done_ = true;
    return b;
  }
  /// Refuses calls between, but for those in the condition of an ElseIf, which have been taken.
  void no_calls(const Builder& b, Position at) const {
    if (b.calls_since(effects_)) refuse(at);
  }
  template <class F>
  void body(const F& f, Position at) {
    check_body(f, at, "Else");
    Builder& b = follow(at);
    no_calls(b, at);
    node_->set(field_, one(b.block(f)));
  }

  ObjectPtr node_;
  const char* field_;
  const char* what_;

 private:
  [[noreturn]] void refuse(Position at) const { throw Error(at, std::string("this Else does not follow its ") + what_); }

  std::uint64_t serial_;
  std::size_t effects_;
  bool done_ = false;
};

/// Records a statement and then its body, so that what is in the body comes after it.
template <class F>
ObjectPtr with_body(const ObjectPtr& node, const char* field, const F& body, Position at, const char* what) {
  check_body(body, at, what);
  Builder& b = Builder::statement(at, what);
  b.record(node, at);
  node->set(field, one(b.block(body)));
  return node;
}

/// The parameter of a body that is a function of one signature; void for others, such as
/// a lambda with a parameter of type auto.
template <class F>
struct parameter { using type = void; };
template <class R, class A>
struct parameter<R (*)(A)> { using type = std::decay_t<A>; };
template <class R, class C, class A>
struct parameter<R (C::*)(A)> { using type = std::decay_t<A>; };
template <class R, class C, class A>
struct parameter<R (C::*)(A) const> { using type = std::decay_t<A>; };
template <class R, class C, class A>
struct parameter<R (C::*)(A) noexcept> { using type = std::decay_t<A>; };
template <class R, class C, class A>
struct parameter<R (C::*)(A) const noexcept> { using type = std::decay_t<A>; };
template <class F, class = void>
struct parameter_of : parameter<F> {};
template <class F>
struct parameter_of<F, std::void_t<decltype(&F::operator())>> : parameter<decltype(&F::operator())> {};

/// Whether the parameter of a loop's body, if it has one, is what the loop is over: values
/// convert to others, so that the compiler would accept another.
template <class F, class T>
inline constexpr bool takes = std::is_void_v<typename parameter_of<F>::type> || std::is_same_v<typename parameter_of<F>::type, Value<T>>;

template <class T, class F>
void loop(const char* word, const std::string& name, const Range<T>& over, const F& body, Position at) {
  static_assert(takes<std::decay_t<F>, T>,
                "the parameter of a loop's body is what the loop is over: Node of g.nodes(), Edge of g.edges() and n.edges(), InEdge of n.in_edges(), "
                "Int of range(...) and WL, Point of m.points(), Element of m.elements()");
  check_body(body, at, word);
  Builder& b = Builder::statement(at, word);
  const std::string text = b.take(over.e, at);
  const std::string var = name.empty() ? b.fresh(loop_name<T>()) : name;
  const ObjectPtr node = object({{"_type", word}, {"ndxvar", var}, {"iterator", text}, {"stmts", List{}}});
  b.record(node, at);
  node->set("stmts", one(b.block([&] {
    const SymbolPtr s = b.local(var, at);
    if constexpr (std::is_invocable_v<F, Value<T>>) body(Value<T>(b.use(s)));
    else body();
  })));
}

template <class F, class T>
using if_loop_body = std::enable_if_t<std::is_invocable_v<F, Value<T>> || std::is_invocable_v<F>>;

}  // namespace detail

/// Executes body for every element in parallel, in no order; body is called
/// once, with the variable of the loop.
template <class T, class F, class = detail::if_loop_body<F, T>>
void ForAll(const std::string& name, const Range<T>& over, const F& body, Position at = Position::here()) { detail::loop("ForAll", name, over, body, at); }
template <class T, class F, class = detail::if_loop_body<F, T>>
void ForAll(const Range<T>& over, const F& body, Position at = Position::here()) { detail::loop("ForAll", "", over, body, at); }
template <class F, class = detail::if_loop_body<F, int>>
void ForAll(const std::string& name, const Worklist& over, const F& body, Position at = Position::here()) { detail::loop<int>("ForAll", name, over, body, at); }
template <class F, class = detail::if_loop_body<F, int>>
void ForAll(const Worklist& over, const F& body, Position at = Position::here()) { detail::loop<int>("ForAll", "", over, body, at); }

/// The same, one after another in one thread, where Break is allowed.
template <class T, class F, class = detail::if_loop_body<F, T>>
void For(const std::string& name, const Range<T>& over, const F& body, Position at = Position::here()) { detail::loop("For", name, over, body, at); }
template <class T, class F, class = detail::if_loop_body<F, T>>
void For(const Range<T>& over, const F& body, Position at = Position::here()) { detail::loop("For", "", over, body, at); }

/// What CFor returns, for its #pragma unroll.
class Loop {
 public:
  explicit Loop(detail::ObjectPtr node) : node_(std::move(node)) {}
  void unroll(int count = -1) { node_->set("unroll", count); }

 private:
  detail::ObjectPtr node_;
};

/// for (T name = init; cond; update) body. The functions get the variable.
template <class T, class Cond, class Update, class F>
Loop CFor(const std::string& name, const detail::Init<T>& init, const Cond& cond, const Update& update, const F& body, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "CFor");
  const std::string first = type_name<T>::text() + " " + name + (init.given ? " = " + b.take(init.x, at) : std::string());
  const detail::ObjectPtr node = detail::object({{"_type", "CFor"}, {"init", first}, {"cond", ""}, {"update", ""}, {"stmts", detail::List{}}});
  b.record(node, at);
  b.block([&] {
    const Ref<T> var(b.use(b.local(name, at)));
    node->set("cond", b.take(Bool(cond(var)).e, at));
    detail::List steps = std::get<detail::List>(b.block([&] { update(var); })->find("stmts")->v);
    std::string text;
    for (const detail::Json& x : steps) {
      detail::Object& s = *std::get<detail::ObjectPtr>(x.v);
      if (s.dropped) continue;
      const detail::Json* e = s.find("e");
      const detail::Json* c = e != nullptr ? std::get<detail::ObjectPtr>(e->v)->find("expr") : nullptr;
      if (c == nullptr && s.find("lhs") == nullptr) throw Error(at, "the update of a CFor is an assignment or a call");
      text += text.empty() ? "" : ", ";
      text += c != nullptr ? std::get<std::string>(c->v) : std::get<std::string>(s.find("lhs")->v) + " = " + std::get<std::string>(s.find("rhs")->v);
    }
    node->set("update", text);
    node->set("stmts", detail::one(b.block([&] { body(var); })));
  });
  return Loop(node);
}

/// What If returns: another branch may follow.
class Branch : public detail::Part {
 public:
  explicit Branch(detail::ObjectPtr node) : Part(std::move(node), "false_stmts", "If") {}
  template <class F, class = detail::if_body<F>>
  void Else(const F& f, Position at = Position::here()) { body(f, at); }
  template <class F, class = detail::if_body<F>>
  Branch ElseIf(const Bool& cond, const F& f, Position at = Position::here());
};
namespace detail {
inline ObjectPtr if_node(Builder& b, const Bool& cond, Position at) {
  return object({{"_type", "If"}, {"cond", b.take(cond.e, at)}, {"true_stmts", List{}}, {"false_stmts", List{}}});
}
}  // namespace detail

template <class F, class = detail::if_body<F>>
Branch If(const Bool& cond, const F& body, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "If");
  return Branch(detail::with_body(detail::if_node(b, cond, at), "true_stmts", body, at, "If"));
}
template <class F, class>
Branch Branch::ElseIf(const Bool& cond, const F& f, Position at) {
  detail::Builder& b = follow(at);
  detail::ObjectPtr inner;
  b.open();  // where the inner If is recorded; it becomes a part of the outer one
  inner = detail::if_node(b, cond, at);
  no_calls(b, at);
  detail::with_body(inner, "true_stmts", f, at, "ElseIf");
  b.close();
  node_->set("false_stmts", detail::one(inner));
  return Branch(inner);
}

template <class F, class = detail::if_body<F>>
void While(const Bool& cond, const F& body, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "While");
  detail::with_body(detail::object({{"_type", "While"}, {"cond", b.take(cond.e, at)}, {"stmts", detail::List{}}}), "stmts", body, at, "While");
}
template <class F, class = detail::if_body<F>>
void DoWhile(const F& body, const Bool& cond, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "DoWhile");
  detail::with_body(detail::object({{"_type", "DoWhile"}, {"cond", b.take(cond.e, at)}, {"stmts", detail::List{}}}), "stmts", body, at, "DoWhile");
}
/// Statements in braces.
template <class F, class = detail::if_body<F>>
void Block(const F& body, Position at = Position::here()) {
  detail::check_body(body, at, "Block");
  detail::Builder& b = detail::Builder::statement(at, "Block");
  const detail::ObjectPtr node = detail::object({{"_type", "Block"}, {"stmts", detail::List{}}});
  b.record(node, at);
  node->set("stmts", std::move(*b.block(body)->find("stmts")));
}

namespace detail {
inline void c_statement(const std::string& text, Position at, const char* what) {
  Builder::statement(at, what).record(object({{"_type", "CBlock"}, {"stmts", List{text}}, {"parse", true}}), at);
}
}  // namespace detail

inline void Break(Position at = Position::here()) { detail::c_statement("break;", at, "Break"); }
inline void Continue(Position at = Position::here()) { detail::c_statement("continue;", at, "Continue"); }
inline void Return(Position at = Position::here()) { detail::c_statement("return;", at, "Return"); }
inline void Return(const detail::Arg& value) {
  const std::string text = detail::Builder::statement(value.at, "Return").take(value.e, value.at);
  detail::c_statement("return " + text + ";", value.at, "Return");
}

/// What Atomic and Exclusive return: Else has the statements of those that fail.
class Locked : public detail::Part {
 public:
  explicit Locked(detail::ObjectPtr node, const char* what) : Part(std::move(node), "fail_stmts", what) {}
  template <class F, class = detail::if_body<F>>
  void Else(const F& f, Position at = Position::here()) { body(f, at); }
};

/// Executes body under a lock, an int in device memory. With Else it tries once.
template <class F, class = detail::if_body<F>>
Locked Atomic(const Ref<int>& lock, const F& body, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "Atomic");
  const std::string text = b.take(lock.e, at);
  detail::Json array = text, index;
  if (const std::size_t base = lock.e.base; base > 0) {
    array = text.substr(0, base);
    index = text.substr(base + 1, text.size() - base - 2);
  }
  const auto node = detail::object({{"_type", "Atomic"}, {"lock", array}, {"lockndx", index}, {"stmts", detail::List{}}, {"fail_stmts", detail::List{}}});
  return Locked(detail::with_body(node, "stmts", body, at, "Atomic"), "Atomic");
}

/// Executes body if the iteration wins the elements of an object that slices
/// of arrays list: graph, graph.nodes(), mesh, mesh.elements(), mesh.points().
template <class F, class = detail::if_body<F>>
Locked Exclusive(const detail::Typed& object, std::initializer_list<Slice> slices, const F& body, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "Exclusive");
  if (slices.size() == 0) throw Error(at, "Exclusive has no elements to win", "Exclusive(mesh, {slice(cavity, n)}, [&] { ... })");
  detail::List items;
  const std::string of = b.take(object.e, at);
  for (const Slice& s : slices) items.emplace_back(s.item(b));
  const auto tuple = detail::object({{"_type", "Tuple"}, {"object", of}, {"items", std::move(items)}});
  const auto node = detail::object({{"_type", "Exclusive"}, {"objs_lock", tuple}, {"stmts", detail::List{}}, {"fail_stmts", detail::List{}}});
  return Locked(detail::with_body(node, "stmts", body, at, "Exclusive"), "Exclusive");
}
template <class F, class = detail::if_body<F>>
Locked Exclusive(const detail::Typed& object, const Slice& s, const F& body, Position at = Position::here()) { return Exclusive(object, {s}, body, at); }

struct MergeTag {};
/// Leaves an item of Retry to the next invocation.
inline constexpr MergeTag Merge{};

namespace detail {
inline void again(const char* word, const Arg& item, bool merge) {
  Builder& b = Builder::statement(item.at, word);
  const ObjectPtr node = object({{"_type", word}, {"args", b.take(item.e, item.at)}});
  if (std::string_view(word) == "Retry") node->set("merge", merge);
  b.record(node, item.at);
}
inline void bare(const char* word, Position at) { Builder::statement(at, word).record(object({{"_type", word}}), at); }
}  // namespace detail

/// Runs the kernel again with an item that conflicted.
inline void Retry(const detail::Arg& item) { detail::again("Retry", item, false); }
inline void Retry(const detail::Arg& item, MergeTag) { detail::again("Retry", item, true); }
/// Runs the kernel again with a new item, before the next kernel.
inline void Respawn(const detail::Arg& item) { detail::again("Respawn", item, false); }
inline void SyncRunningThreads(Position at = Position::here()) { detail::bare("SyncRunningThreads", at); }
inline void LocalBarrier(Position at = Position::here()) { detail::bare("LocalBarrier", at); }
/// A node without a meaning, which comments may have.
inline void Nop(Position at = Position::here()) { detail::Builder::get(at, "Nop").record(detail::object({{"_type", "NOP"}}), at); }
/// Contributes to the value of the kernel's call.
inline void ReduceAndReturn(const Bool& value, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "ReduceAndReturn");
  b.record(detail::object({{"_type", "ReduceAndReturn"}, {"value", b.take(value.e, at)}}), at);
}

/// Any or All. Any(K(...)) invokes the kernel and reduces what it contributes.
struct Reduction {
  const char* word;

  Bool operator()(const Call& call) const {
    detail::Expr x = call.expr();
    x.text = std::string(word) + "(Invoke " + x.text + ")";
    const auto node = detail::object({{"_type", "Invoke"}, {"aggr", word}});
    call.set(*node);
    return detail::effect<bool>(std::move(x), node, call.at());
  }
};
inline constexpr Reduction Any{"Any"}, All{"All"};

/// Calls a kernel and waits for it.
inline void Invoke(const Call& call) {
  detail::Builder& b = detail::Builder::statement(call.at(), "Invoke");
  b.take(call.expr(), call.at());
  const auto node = detail::object({{"_type", "Invoke"}, {"aggr", nullptr}});
  call.set(*node);
  b.record(node, call.at());
}

/// The first items of a worklist: values, and slices of arrays.
class Initial {
 public:
  template <class... Items>
  explicit Initial(const Items&... items) { (add(items), ...); }
  /// For how many items there is room at first.
  Initial& size(const Int& n) {
    size_.clear();
    size_.push_back(n);
    return *this;
  }

  detail::Json take(detail::Builder& b, Position at) const {
    const detail::Json size = size_.empty() ? detail::Json(nullptr) : detail::Json(b.take(size_.front().e, at));
    const bool array = items_.size() == 1 && std::holds_alternative<Slice>(items_.front()) && std::get<Slice>(items_.front()).low.empty();
    if (array) {
      const Slice& s = std::get<Slice>(items_.front());
      return detail::object({{"_type", "WorklistInitializerFromArray"}, {"size", size}, {"array", b.take(s.array, at)}, {"array_size", b.take(s.high.front().e, at)}});
    }
    detail::List texts;
    for (const auto& x : items_) texts.emplace_back(std::holds_alternative<Slice>(x) ? std::get<Slice>(x).text(b) : b.take(std::get<detail::Arg>(x).e, at));
    return detail::object({{"_type", "WorklistInitializer"}, {"size", size}, {"initial", std::move(texts)}});
  }

 private:
  void add(const Slice& s) { items_.emplace_back(s); }
  void add(const detail::Arg& x) { items_.emplace_back(x); }

  std::vector<std::variant<detail::Arg, Slice>> items_;
  std::vector<Int> size_;
};

/// A condition of Iterate beside the worklist.
struct And {
  explicit And(const Bool& c) : cond(c) {}
  Bool cond;
};
struct Or {
  explicit Or(const Bool& c) : cond(c) {}
  Bool cond;
};

/// While or Until, of Any or All.
struct Termination {
  const char* cond;
  Reduction aggr;
};
inline Termination While(Reduction aggr) { return Termination{"While", aggr}; }
inline Termination Until(Reduction aggr) { return Termination{"Until", aggr}; }

namespace detail {

class IterateNode {
 public:
  IterateNode(const Termination* t, const Call& call) : b_(Builder::statement(call.at(), "Iterate")), at_(call.at()) {
    node_ = object({{"_type", "Iterate"}, {"cond", t ? Json(t->cond) : Json()}, {"aggr", t ? Json(t->aggr.word) : Json()}});
    b_.take(call.expr(), at_);
    call.set(*node_);
    for (const char* field : {"wlinit", "extra_cond"}) node_->set(field, nullptr);
    node_->set("stmts", List{});
  }
  void add(const Initial& x) { once("wlinit", "Initial", x.take(b_, at_)); }
  void add(const And& x) { once("extra_cond", "And or Or", object({{"_type", "And"}, {"cond", b_.take(x.cond.e, at_)}})); }
  void add(const Or& x) { once("extra_cond", "And or Or", object({{"_type", "Or"}, {"cond", b_.take(x.cond.e, at_)}})); }
  void record() { b_.record(node_, at_); }
  template <class F>
  void body(const F& f) {
    if constexpr (std::is_invocable_v<F>) {
      check_body(f, at_, "Iterate");
      node_->set("stmts", one(b_.block(f)));
    }
  }
  template <class X>
  void option(const X& x) {
    if constexpr (!std::is_invocable_v<X>) add(x);
  }

 private:
  void once(const char* field, const char* what, Json value) {
    if (!std::holds_alternative<std::nullptr_t>(node_->find(field)->v)) throw Error(at_, std::string("this Iterate has ") + what + " twice");
    node_->set(field, std::move(value));
  }

  Builder& b_;
  Position at_;
  ObjectPtr node_;
};

template <class X>
inline constexpr bool iterate_option = std::is_invocable_v<X> || std::is_same_v<X, Initial> || std::is_same_v<X, And> || std::is_same_v<X, Or>;

template <class... O>
void iterate(const Termination* t, const Call& call, const O&... options) {
  static_assert((iterate_option<O> && ...), "an Iterate has Initial(...), And(...) or Or(...), and a body");
  static_assert((int{std::is_invocable_v<O>} + ... + 0) <= 1, "an Iterate has one body");
  IterateNode n(t, call);
  (n.option(options), ...);
  n.record();
  (n.body(options), ...);
}

}  // namespace detail

/// Invokes a kernel until its worklist is empty: Iterate(K(graph), Initial(src), [&] { ... }).
/// After the call there may be Initial, And or Or, and a body, which is executed after each call.
template <class... O>
void Iterate(const Call& call, const O&... options) { detail::iterate(nullptr, call, options...); }
/// The same while, or until, a reduction of the call is true: Iterate(While(Any), K(graph), ...).
template <class... O>
void Iterate(const Termination& t, const Call& call, const O&... options) { detail::iterate(&t, call, options...); }

struct OnceTag {};
inline constexpr OnceTag Once{};

namespace detail {
template <class F>
void pipe(bool once, const Initial* init, const F& body, Position at) {
  Builder& b = Builder::statement(at, "Pipe");
  const ObjectPtr node = object({{"_type", "Pipe"}, {"once", once}, {"wlinit", init ? init->take(b, at) : Json()}, {"stmts", List{}}});
  with_body(node, "stmts", body, at, "Pipe");
}
}  // namespace detail

/// Makes the worklists of the kernels that body invokes, and repeats it until they
/// are empty; with Once it executes it once.
template <class F, class = detail::if_body<F>>
void Pipe(const F& body, Position at = Position::here()) { detail::pipe(false, nullptr, body, at); }
template <class F, class = detail::if_body<F>>
void Pipe(const Initial& init, const F& body, Position at = Position::here()) { detail::pipe(false, &init, body, at); }
template <class F, class = detail::if_body<F>>
void Pipe(OnceTag, const F& body, Position at = Position::here()) { detail::pipe(true, nullptr, body, at); }
template <class F, class = detail::if_body<F>>
void Pipe(OnceTag, const Initial& init, const F& body, Position at = Position::here()) { detail::pipe(true, &init, body, at); }

// ---------------------------------------------------------------------------
// Functions of the language

namespace detail {
template <class T>
struct identity { using type = T; };
template <class T>
using Same = Value<typename identity<T>::type>;  // not deduced

template <class T>
Value<T> atomic(const char* name, const Ref<T>& x, std::initializer_list<const Expr*> rest, Position at) {
  std::vector<Expr> args{unary("&", x.e)};
  for (const Expr* r : rest) args.push_back(*r);
  Expr c = call(name, args);
  const ObjectPtr node = c_expr_node(c.text);
  return effect<T>(std::move(c), node, at);
}
}  // namespace detail

// Each changes x and returns its old value; alone, it is a statement.
template <class T>
Value<T> atomicAdd(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicAdd", x, {&v.e}, at); }
template <class T>
Value<T> atomicSub(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicSub", x, {&v.e}, at); }
template <class T>
Value<T> atomicExch(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicExch", x, {&v.e}, at); }
template <class T>
Value<T> atomicMin(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicMin", x, {&v.e}, at); }
template <class T>
Value<T> atomicMax(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicMax", x, {&v.e}, at); }
template <class T>
Value<T> atomicAnd(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicAnd", x, {&v.e}, at); }
template <class T>
Value<T> atomicOr(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicOr", x, {&v.e}, at); }
template <class T>
Value<T> atomicXor(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicXor", x, {&v.e}, at); }
template <class T>
Value<T> atomicInc(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicInc", x, {&v.e}, at); }
template <class T>
Value<T> atomicDec(const Ref<T>& x, const detail::Same<T>& v, Position at = Position::here()) { return detail::atomic<T>("atomicDec", x, {&v.e}, at); }
template <class T>
Value<T> atomicCAS(const Ref<T>& x, const detail::Same<T>& old, const detail::Same<T>& v, Position at = Position::here()) {
  return detail::atomic<T>("atomicCAS", x, {&old.e, &v.e}, at);
}

/// A function of the language without effects, such as pure<double>("sqrt", x).
template <class T, class... A>
Value<T> pure(const std::string& name, const A&... args) { return Value<T>(detail::call(name, {detail::Arg(args, Position{}).e...})); }
/// One with effects: a statement unless its value is used.
template <class T, class... A>
Value<T> call(const detail::Named& name, const A&... args) {
  detail::Expr x = detail::call(name.text, {detail::Arg(args, name.at).e...});
  const detail::ObjectPtr node = detail::c_expr_node(x.text);
  return detail::effect<T>(std::move(x), node, name.at);
}
template <class A, class B, class = detail::if_operands<A, B>>
auto min(const A& a, const B& b) { return pure<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("min", a, b); }
template <class A, class B, class = detail::if_operands<A, B>>
auto max(const A& a, const B& b) { return pure<detail::common_t<detail::scalar_t<A>, detail::scalar_t<B>>>("max", a, b); }

/// printf, as a statement.
template <class... A>
void Printf(const detail::Named& format, const A&... args) {
  detail::Builder& b = detail::Builder::statement(format.at, "Printf");
  b.check_text(format.text, format.at);
  const detail::Expr x = detail::call("printf", {detail::word(detail::c_string(format.text)), detail::Arg(args, format.at).e...});
  const std::string text = b.take(x, format.at);
  b.record(detail::c_expr_node(text), format.at);
}
/// assert, as a statement.
inline void Assert(const Bool& cond, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::statement(at, "Assert");
  const std::string text = b.take(cond.e, at);
  b.record(detail::c_expr_node("assert(" + text + ")"), at);
}
/// An expression as a statement.
inline void Eval(const detail::Arg& x) {
  detail::Builder& b = detail::Builder::statement(x.at, "Eval");
  const std::string text = b.take(x.e, x.at);
  b.record(detail::c_expr_node(text), x.at);
}

// ---------------------------------------------------------------------------
// C text, comments, attributes

namespace detail {
/// A list of variables and properties.
class NameList {
 public:
  template <class... X>
  explicit NameList(const X&... x) { (add(x), ...); }
  List take(Builder& b, Position at) const {
    List out;
    for (const Expr& x : names_) {
      b.check_name(x.text, at);
      out.emplace_back(b.take(x, at));
    }
    return out;
  }

 private:
  void add(const Typed& x) { names_.push_back(x.e); }
  template <class T, class D>
  void add(const Property<T, D>& p) { names_.push_back(word(p.name())); }
  void add(const char* name) { names_.push_back(word(name)); }

  std::vector<Expr> names_;
};

inline List lines(std::string_view s) {
  List out;
  for (;;) {
    const std::size_t end = s.find('\n');
    out.emplace_back(std::string(s.substr(0, end)));
    if (end == std::string_view::npos) return out;
    s.remove_prefix(end + 1);
  }
}
}  // namespace detail

/// What the text of a CBlock reads, and what it writes.
struct Reads : detail::NameList {
  using NameList::NameList;
};
struct Writes : detail::NameList {
  using NameList::NameList;
};

/// C text that irgl parses: statements, or declarations at file level.
inline void CBlock(const std::string& text, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::get(at, "CBlock");
  b.check_text(text, at);
  b.record(detail::object({{"_type", "CBlock"}, {"stmts", detail::List{text}}, {"parse", true}}), at);
}
/// Text for CUDA's compiler alone, which irgl passes on.
inline void CBlock(const std::string& text, const Reads& reads, const Writes& writes, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::get(at, "CBlock");
  b.check_text(text, at);
  b.record(detail::object({{"_type", "CBlock"}, {"stmts", detail::lines(text)}, {"parse", false}, {"reads", reads.take(b, at)}, {"writes", writes.take(b, at)}}), at);
}

/// A comment before the next statement, declaration or property.
inline void Comment(const std::string& text, Position at = Position::here()) { detail::Builder::get(at, "a comment").comment(text, at); }
/// A comment beside the last statement or declaration.
inline void Note(const std::string& text, Position at = Position::here()) { detail::Builder::get(at, "a note").note(text, at); }
/// An attribute of the next statement or function, without its brackets: Attribute("np(tb 256, wp)").
inline void Attribute(const std::string& text, Position at = Position::here()) {
  detail::Builder& b = detail::Builder::get(at, "an attribute");
  b.check_text(text, at);
  b.attribute(text, at);
}

// ---------------------------------------------------------------------------
// Programs

/// A program, which build has declared. Programs may be built one after another,
/// and in several threads; within build there is one.
class Program {
 public:
  template <class F, class = detail::if_body<F>>
  explicit Program(const F& build, Position at = Position::here()) {
    detail::check_body(build, at, "the program");
    detail::Builder builder(at);
    struct Guard {
      detail::Builder* before = detail::Builder::current();
      ~Guard() { detail::Builder::current() = before; }
    } guard;
    detail::Builder::current() = &builder;
    build();
    json_ = builder.finish();
  }

  /// The abstract syntax of the program as JSON.
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

/// The main function of a program that writes itself: to the standard output, or with
/// -o FILE to a file. What is wrong with the program goes to the standard error. Returns the exit status.
template <class F, class = detail::if_body<F>>
int emit(int argc, char** argv, const F& build, Position at = Position::here()) {
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const bool to_file = args.size() == 2 && args[0] == "-o";
  if (!args.empty() && !to_file) {
    const bool help = args.size() == 1 && (args[0] == "-h" || args[0] == "--help");
    (help ? std::cout : std::cerr) << "usage: " << (argc > 0 ? argv[0] : "program") << " [-o FILE]\nWrites the program as JSON for irgl.\n";
    return help ? 0 : 2;
  }
  try {
    const Program program(build, at);
    std::ofstream file;
    if (to_file) file.open(std::string(args[1]), std::ios::binary);
    std::ostream& out = to_file ? file : std::cout;
    out << program.json() << std::flush;
    if (!out) {
      std::cerr << "error: cannot write " << (to_file ? args[1] : std::string_view("to the standard output")) << "\n";
      return 1;
    }
    return 0;
  } catch (const std::logic_error& err) {
    std::cerr << err.what() << "\n";
    return 1;
  }
}
/// The same without arguments.
template <class F, class = detail::if_body<F>>
int emit(const F& build, Position at = Position::here()) { return emit(0, nullptr, build, at); }

}  // namespace irgl

#endif  // IRGL_HPP
