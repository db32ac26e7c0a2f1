// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipe to irgl serve (docs/serve.md), and the memory that is shared with it. Threads make
// calls at the same time: one that waits reads for all, and hands out the replies.
#ifndef IRGL_RUNTIME_CONNECTION_H
#define IRGL_RUNTIME_CONNECTION_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cbor.h"

extern char **environ;

namespace irgl {

class Connection {
public:
  // open starts the program and maps the arena. On failure, why says what is wrong.
  bool open(const std::string &program, std::string *why) {
    int pair[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
      *why = std::string("the pipe to the emulator: ") + strerror(errno);
      return false;
    }
    fd_ = aside(pair[0]);
    const int server = aside(pair[1]);
    arena_fd_ = aside(make_arena());
    bool ok = fd_ >= 0 && server >= 0 && arena_fd_ >= 0 && map_arena();
    if (!ok)
      *why = std::string("memory to share with the emulator: ") + strerror(errno);
#ifdef SO_NOSIGPIPE
    const int one = 1;
    setsockopt(fd_, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one);
#endif
    ok = ok && spawn(program, server, why);
    if (server >= 0)
      close(server);
    if (ok) {
      current() = this;
      pthread_atfork(nullptr, nullptr, [] { current()->forked(); });
    }
    return ok;
  }

  char *arena() const { return arena_; }
  size_t arena_size() const { return arena_size_; }
  bool dead() {
    std::lock_guard<std::mutex> hold(mu_);
    return dead_;
  }

  // quiet queues a request that has a reply only if it fails; false when the emulator is gone.
  // It is sent with the next call.
  bool quiet(Request &r) {
    std::unique_lock<std::mutex> hold(mu_);
    if (dead_)
      return false;
    out_ += r.finish(++last_);
    unanswered_++;
    return out_.size() < (64 << 10) || flush();
  }
  // send sends what is queued.
  void send_queued() {
    std::lock_guard<std::mutex> hold(mu_);
    if (!dead_)
      flush();
  }
  // full reports whether a call is due, since the server counts requests without a reply.
  bool full() const { return unanswered_.load(std::memory_order_relaxed) >= 512; }

  // call makes a request and waits for the reply; false when the emulator is gone.
  bool call(Request &r, Value *reply) {
    std::unique_lock<std::mutex> hold(mu_);
    if (dead_)
      return false;
    const uint64_t id = ++last_;
    out_ += r.finish(id);
    unanswered_ = 0;
    if (!flush())
      return false;
    Waiter &mine = waiters_[id];
    while (!mine.arrived && !dead_) {
      if (reading_) {
        arrived_.wait(hold);
        continue;
      }
      reading_ = true;
      hold.unlock();
      Value v;
      const bool ok = read_message(&v);
      hold.lock();
      reading_ = false;
      dead_ = dead_ || !ok;
      const auto i = ok ? waiters_.find(v["id"].number) : waiters_.end();
      if (i != waiters_.end())
        i->second = Waiter{true, std::move(v)};
      else if (v["error"] && !failed_quietly_) // nobody waits for the reply to a quiet request
        failed_quietly_ = v["error"];
      arrived_.notify_all();
    }
    const bool got = mine.arrived;
    *reply = std::move(mine.reply);
    waiters_.erase(id);
    return got;
  }

  // quiet_failure returns the error of a quiet request, once.
  bool quiet_failure(Value *error) {
    std::lock_guard<std::mutex> hold(mu_);
    if (!failed_quietly_)
      return false;
    *error = std::move(failed_quietly_);
    failed_quietly_ = Value();
    return true;
  }

  // end closes the pipe, which ends the emulator; copies of it in forked children do not matter.
  void end() {
    std::lock_guard<std::mutex> hold(mu_);
    if (fd_ >= 0)
      shutdown(fd_, SHUT_WR);
  }

  // died says how the emulator ended.
  std::string died() {
    int status = 0;
    for (int i = 0; i < 100; i++) { // the pipe may close a moment before
      if (waitpid(child_, &status, WNOHANG) == child_) {
        char text[64];
        if (WIFSIGNALED(status))
          snprintf(text, sizeof text, "killed by signal %d", WTERMSIG(status));
        else
          snprintf(text, sizeof text, "with exit status %d", WEXITSTATUS(status));
        return text;
      }
      usleep(1000);
    }
    return "without a word";
  }

private:
  struct Waiter {
    bool arrived = false;
    Value reply;
  };

  static Connection *&current() {
    static Connection *c = nullptr;
    return c;
  }

  // forked runs in a child of fork: the pipe is the parent's.
  void forked() {
    close(fd_);
    close(arena_fd_);
    fd_ = -1;
  }

  // aside moves a descriptor away from those that the child's are made at, and closes it on exec.
  static int aside(int fd) {
    if (fd < 0)
      return fd;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    close(fd);
    return moved;
  }

  static int make_arena() {
#ifdef MFD_ALLOW_SEALING
    const int fd = memfd_create("irgl arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0) {
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
      return fd;
    }
#endif
    const char *folder = getenv("TMPDIR");
    std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/irgl-arena-XXXXXX";
    const int file = mkstemp(&name[0]);
    if (file >= 0)
      unlink(name.c_str());
    return file;
  }

  // map_arena reserves address space. The addresses are those that the emulator takes for memory
  // of the host, where no allocation of its devices is.
  bool map_arena() {
    int flags = MAP_SHARED;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
#ifdef MAP_FIXED_NOREPLACE
    flags |= MAP_FIXED_NOREPLACE;
#endif
    for (size_t size = size_t{64} << 30; size >= size_t{64} << 20; size >>= 2) {
      for (uintptr_t at = 0x200000000000; at >= 0x010000000000; at >>= 1) {
        void *p = mmap(reinterpret_cast<void *>(at), size, PROT_READ | PROT_WRITE, flags, arena_fd_, 0);
        if (p == MAP_FAILED)
          continue;
        if (p == reinterpret_cast<void *>(at)) {
          arena_ = static_cast<char *>(p);
          arena_size_ = size;
          return true;
        }
        munmap(p, size);
      }
    }
    return false;
  }

  bool spawn(const std::string &program, int server, std::string *why) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, server, 0);
    posix_spawn_file_actions_adddup2(&actions, server, 1);
    posix_spawn_file_actions_adddup2(&actions, arena_fd_, 3);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const char *argv[] = {program.c_str(), "serve", "--protocol=1", "--arena=3", nullptr};
    const int e = posix_spawn(&child_, program.c_str(), &actions, &attributes, const_cast<char **>(argv), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (e != 0)
      *why = "start " + program + ": " + strerror(e);
    return e == 0;
  }

  // flush writes what is queued. The lock is held.
  bool flush() {
    const char *p = out_.data();
    size_t n = out_.size();
    while (n > 0) {
#ifdef MSG_NOSIGNAL
      const ssize_t w = send(fd_, p, n, MSG_NOSIGNAL);
#else
      const ssize_t w = send(fd_, p, n, 0);
#endif
      if (w < 0 && errno == EINTR)
        continue;
      if (w < 0) {
        dead_ = true;
        arrived_.notify_all();
        return false;
      }
      p += w;
      n -= static_cast<size_t>(w);
    }
    out_.clear();
    return true;
  }

  bool read_bytes(char *p, size_t n) {
    while (n > 0) {
      const ssize_t r = recv(fd_, p, n, 0);
      if (r < 0 && errno == EINTR)
        continue;
      if (r <= 0)
        return false;
      p += r;
      n -= static_cast<size_t>(r);
    }
    return true;
  }

  bool read_message(Value *v) {
    unsigned char head[4];
    if (!read_bytes(reinterpret_cast<char *>(head), 4))
      return false;
    const uint32_t n = head[0] | head[1] << 8 | head[2] << 16 | static_cast<uint32_t>(head[3]) << 24;
    if (n > 1 << 20)
      return false;
    in_.resize(n);
    return read_bytes(&in_[0], n) && Reader(in_.data(), n).read(v);
  }

  int fd_ = -1, arena_fd_ = -1;
  pid_t child_ = -1;
  char *arena_ = nullptr;
  size_t arena_size_ = 0;

  std::mutex mu_; // of all below but in_, which the thread that reads has
  std::condition_variable arrived_;
  bool reading_ = false, dead_ = false;
  uint64_t last_ = 0;
  std::string out_, in_;
  std::atomic<int> unanswered_{0};
  std::unordered_map<uint64_t, Waiter> waiters_; // references to elements stay valid
  Value failed_quietly_;
};

} // namespace irgl

#endif
