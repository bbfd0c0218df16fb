#pragma once
// Indices that can't be mixed up: a RankId is not a DeviceId.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepsim {

/// A 32-bit index into the table of things called Tag.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : index_(index) {}
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr std::uint32_t index() const { return index_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  std::uint32_t index_ = 0;
};

using RankId = Id<struct RankTag>;        ///< a process of the job, numbered by the layout
using DeviceId = Id<struct DeviceTag>;    ///< an accelerator of the cluster
using LinkId = Id<struct LinkTag>;        ///< one direction of one link
using ProgramId = Id<struct ProgramTag>;  ///< the ops of one class of ranks
using ActorId = Id<struct ActorTag>;      ///< what the engine runs: a rank, or a class of equal ranks
using KernelId = Id<struct KernelTag>;    ///< a kernel and its shape
using CommId = Id<struct CommTag>;        ///< a communication and its bytes
using OpId = Id<struct OpTag>;            ///< an op of one program

/// A vector indexed by one kind of id only.
template <class IdType, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : items_(size, value) {}
  T& operator[](IdType id) { return items_[id.index()]; }
  const T& operator[](IdType id) const { return items_[id.index()]; }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  IdType push_back(T value) {
    items_.push_back(std::move(value));
    return IdType(items_.size() - 1);
  }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace stepsim
