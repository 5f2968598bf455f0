// A growable buffer of plain values, aligned to 64 bytes: one cache line and one AVX-512 register.
#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fuzzbow {

template <class Value>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable<Value>::value, "AlignedBuffer holds plain values only");

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t count) { resize(count); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  AlignedBuffer(AlignedBuffer&& other) noexcept { swap(other); }
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedBuffer() { release(data_, capacity_); }

  // Sets the size. New values are zero, existing values are kept. Capacity never shrinks, so that scratch buffers stop
  // allocating.
  void resize(std::size_t count) {
    if (count > capacity_) grow(count > capacity_ + capacity_ / 2 ? count : capacity_ + capacity_ / 2);
    if (count > size_) std::memset(static_cast<void*>(data_ + size_), 0, (count - size_) * sizeof(Value));
    size_ = count;
  }

  // Returns room for at least count values with unspecified contents, for use as scratch.
  Value* at_least(std::size_t count) {
    if (count > size_) resize(count);
    return data_;
  }

  void push(Value value) {
    resize(size_ + 1);
    data_[size_ - 1] = value;
  }

  void swap(AlignedBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  Value* data() { return data_; }
  const Value* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ * sizeof(Value); }
  Value& operator[](std::size_t index) { return data_[index]; }
  const Value& operator[](std::size_t index) const { return data_[index]; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;

  // Large tables use huge pages: their rows are read in random order, and with small pages nearly every read would miss
  // the address translation cache.
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{count * sizeof(Value) >= 2 * kHugePage ? kHugePage : 64};
  }

  static void release(Value* data, std::size_t count) {
    if (data) ::operator delete(static_cast<void*>(data), alignment(count));
  }

  void grow(std::size_t count) {
    // One spare cache line, so that a full-width load of the last values stays inside.
    const std::size_t bytes = count * sizeof(Value) + 64;
    auto* fresh = static_cast<Value*>(::operator new(bytes, alignment(count)));
#if defined(__linux__)
    if (alignment(count) == std::align_val_t{kHugePage}) madvise(fresh, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
    if (size_) std::memcpy(static_cast<void*>(fresh), data_, size_ * sizeof(Value));
    release(data_, capacity_);
    data_ = fresh;
    capacity_ = count;
  }

  Value* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace fuzzbow
