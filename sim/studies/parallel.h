#pragma once
// Independent runs side by side, one a core; results and errors come out as if they had been run in order.

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace stepsim {

/// Called after each finished run with the number done so far and the number in all; may come from any thread.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// {run(0), …, run(count - 1)}. If some throw, the error of the lowest index is thrown once all have ended.
template <class Result, class Run>
std::vector<Result> run_in_parallel(std::size_t count, const Run& run, const Progress& progress = {}) {
  std::vector<std::packaged_task<Result()>> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.emplace_back([&run, i] { return run(i); });
  std::atomic<std::size_t> next{0}, done{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      tasks[i]();
      const std::size_t finished = ++done;
      if (progress) progress(finished, count);
    }
  };
  {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(cores, count); ++i) threads.emplace_back(work);
    work();
  }
  std::vector<Result> results;
  results.reserve(count);
  for (std::packaged_task<Result()>& task : tasks) results.push_back(task.get_future().get());
  return results;
}

}  // namespace stepsim
