// A bot for the referee: its streams. What it says there stands in session.cpp, how it plays in strategy.cpp.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "referee/v1/play_service.grpc.pb.h"
#include "session.hpp"
#include "strategy.hpp"

namespace pb = referee::v1;
using namespace std::chrono_literals;

namespace {

// Before a lost stream is opened again: from the one, doubled each time, to the other.
constexpr std::chrono::milliseconds first_pause = 500ms, last_pause = 15s;

// Ends the process, whatever its other threads do.
[[noreturn]] void end(int status, const std::string& line = {}) {
  if (!line.empty()) say(line);
  std::_Exit(status);
}

// Returns what the environment says, or an empty text.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string required(const char* name) {
  std::string value = variable(name);
  if (value.empty())
    end(2, std::string(name) + " is not set; the referee sets it for the bots that it launches");
  return value;
}

// Messages that wait to be written: the thread that reads must not wait for a referee that does not.
class Outbox {
 public:
  void put(pb::PlayRequest message) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(message));
    changed_.notify_one();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }

  // Waits for the next message; returns none when the outbox is closed.
  std::optional<pb::PlayRequest> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (closed_) return std::nullopt;
    auto message = std::move(waiting_.front());
    waiting_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<pb::PlayRequest> waiting_;
  bool closed_ = false;
};

class Bot {
 public:
  Bot() : address_(required("REFEREE_ADDRESS")), token_(required("REFEREE_TOKEN")) {
    for (const unsigned char byte : random_bytes(8)) {
      instance_ += "0123456789abcdef"[byte >> 4];
      instance_ += "0123456789abcdef"[byte & 15];
    }
    read_environment();
  }

  // Opens one stream after the other, as long as there is a use in it.
  [[noreturn]] void run() {
    std::mt19937 chance(std::random_device{}());
    for (auto pause = first_pause;; pause = std::min(2 * pause, last_pause)) {
      if (play()) pause = first_pause;
      std::uniform_int_distribution<std::int64_t> some(pause.count() / 2, pause.count());
      std::this_thread::sleep_for(some(chance) * 1ms);  // by chance, so that bots do not come back in step
    }
  }

  // Asks for no new matches and plays on; ends at once where nobody hears it, or when asked again.
  void heed_signal() {
    const std::lock_guard lock(mutex_);
    if (leaving_ || open_ == nullptr) end(leaving_ ? 1 : 0);
    leaving_ = true;
    open_->put(leave());
  }

 private:
  // Reads REFEREE_CA, REFEREE_TLS and REFEREE_KEEPALIVE; without them nothing is encrypted, and pings are
  // left to the library.
  void read_environment() {
    grpc::SslCredentialsOptions tls;
    if (const std::string name = variable("REFEREE_CA"); !name.empty()) {
      std::ifstream file(name);
      tls.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
      if (tls.pem_root_certs.empty()) end(2, "REFEREE_CA: nothing can be read from " + name);
    }
    const bool secure = !tls.pem_root_certs.empty() || !variable("REFEREE_TLS").empty();
    credentials_ = secure ? grpc::SslCredentials(tls) : grpc::InsecureChannelCredentials();
    arguments_.SetInt("grpc.use_local_subchannel_pool", 1);  // or it would wait as the last channel did
    if (const std::string seconds = variable("REFEREE_KEEPALIVE"); !seconds.empty()) {
      try {
        arguments_.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(1000 * std::stod(seconds)));
      } catch (const std::logic_error&) {
        end(2, "REFEREE_KEEPALIVE: " + seconds + " is no number of seconds");
      }
      arguments_.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
      arguments_.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // any number of them
      arguments_.SetInt("grpc.http2.ping_timeout_ms", 20'000);  // else a lost connection is kept for a minute
    }
  }

  // Plays over one stream until it ends; says whether the referee welcomed the bot on it. This thread reads
  // and another one writes.
  bool play() {
    const auto stub = pb::PlayService::NewStub(grpc::CreateCustomChannel(address_, credentials_, arguments_));
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token_);
    const auto stream = stub->Play(&context);
    Outbox outbox;
    outbox.put(hello(instance_));
    std::thread writer([&] {
      while (const auto message = outbox.take()) stream->Write(*message);  // errors end the reading too
    });
    bool welcomed = false;
    pb::Goodbye goodbye;
    for (pb::PlayResponse message; stream->Read(&message);) {
      for (const auto& frame : message.frames()) {
        if (frame.has_goodbye()) goodbye = frame.goodbye();
        if (!frame.has_welcome()) continue;
        welcomed = true;
        set_open(&outbox);
      }
      if (auto answers = matches_.answers(message); answers.frames_size() > 0) outbox.put(std::move(answers));
    }
    set_open(nullptr);
    outbox.close();
    writer.join();
    judge(stream->Finish(), goodbye);
    return welcomed;
  }

  void set_open(Outbox* outbox) {
    const std::lock_guard lock(mutex_);
    open_ = outbox;
  }

  // Ends the bot where it is done, or where coming back would be no use.
  void judge(const grpc::Status& status, const pb::Goodbye& goodbye) {
    const auto reason = goodbye.reason();
    const auto code = status.error_code();
    if (leaving_ || reason == pb::GOODBYE_REASON_LEFT) end(0);
    const std::string line = "stream ended: status " + std::to_string(code) + ": " +
                             (goodbye.note().empty() ? status.error_message() : goodbye.note());
    // Matches of an earlier version of the bot still run: once they have ended, it may come.
    const bool early = code == grpc::FAILED_PRECONDITION;
    const bool no_use = code == grpc::UNAUTHENTICATED || code == grpc::PERMISSION_DENIED ||
                        code == grpc::INVALID_ARGUMENT || reason == pb::GOODBYE_REASON_TAKEN_OVER ||
                        reason == pb::GOODBYE_REASON_BAD_HELLO || reason == pb::GOODBYE_REASON_REVOKED ||
                        reason == pb::GOODBYE_REASON_STREAM_FAULTS;
    if (no_use && !early) end(1, line);
    say(line + "; coming back");
  }

  const std::string address_, token_;
  std::string instance_;  // the same on every stream: that is how the referee knows the bot again
  std::shared_ptr<grpc::ChannelCredentials> credentials_;
  grpc::ChannelArguments arguments_;
  Matches matches_;
  std::mutex mutex_;
  Outbox* open_ = nullptr;  // once the referee has welcomed the bot, until the stream ends
  bool leaving_ = false;
};

}  // namespace

int main() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // in all threads: one of them waits for the signals
  Bot bot;
  std::thread([&] {
    for (int number = 0; sigwait(&signals, &number) == 0;) bot.heed_signal();
  }).detach();
  prepare();
  bot.run();
}
