#include "text/stored_vocabulary.hpp"

#include <algorithm>
#include <cstring>

#include "support/hashing.hpp"

namespace fuzzbow {

namespace {

constexpr std::uint64_t kInitial[8] = {0x6A09E667F3BCC908ull, 0xBB67AE8584CAA73Bull, 0x3C6EF372FE94F82Bull,
                                       0xA54FF53A5F1D36F1ull, 0x510E527FADE682D1ull, 0x9B05688C2B3E6C1Full,
                                       0x1F83D9ABFB41BD6Bull, 0x5BE0CD19137E2179ull};
constexpr std::uint8_t kOrders[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
constexpr std::size_t kBlock = 128;
constexpr std::int64_t kNear = 16;  // hashes that are looked at one after the other

std::uint64_t rotated(std::uint64_t value, int bits) { return value >> bits | value << (64 - bits); }

void mix(std::uint64_t* v, int a, int b, int c, int d, std::uint64_t x, std::uint64_t y) {
  v[a] += v[b] + x;
  v[d] = rotated(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = rotated(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = rotated(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = rotated(v[b] ^ v[c], 63);
}

void compress(std::uint64_t* state, const unsigned char* block, std::uint64_t done, bool last) {
  std::uint64_t words[16], v[16];
  for (int i = 0; i < 16; ++i) {
    words[i] = 0;
    for (int k = 0; k < 8; ++k) words[i] |= static_cast<std::uint64_t>(block[8 * i + k]) << (8 * k);
  }
  for (int i = 0; i < 8; ++i) v[i] = state[i], v[i + 8] = kInitial[i];
  v[12] ^= done;
  if (last) v[14] = ~v[14];
  for (int round = 0; round < 12; ++round) {
    const std::uint8_t* order = kOrders[round % 10];
    for (int i = 0; i < 4; ++i) mix(v, i, i + 4, i + 8, i + 12, words[order[2 * i]], words[order[2 * i + 1]]);
    for (int i = 0; i < 4; ++i)
      mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, words[order[8 + 2 * i]], words[order[9 + 2 * i]]);
  }
  for (int i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

std::uint32_t blake2b_32(const char* data, std::size_t length) {
  std::uint64_t state[8];
  std::copy(kInitial, kInitial + 8, state);
  state[0] ^= 0x01010000 ^ 4;
  unsigned char block[kBlock];
  std::size_t done = 0;
  do {
    const std::size_t count = std::min(kBlock, length - done);
    std::memset(block, 0, kBlock);
    if (count) std::memcpy(block, data + done, count);
    done += count;
    compress(state, block, done, done == length);
  } while (done < length);
  return static_cast<std::uint32_t>(state[0]);
}

std::int32_t StoredVocabulary::find(const char* word, std::size_t length) const {
  const std::uint32_t wanted = blake2b_32(word, length);
  std::int64_t low = 0, high = size;  // the first hash that is not below the wanted one is at one of low to high
  while (high - low > kNear) {
    const std::uint64_t least = hashes[low], most = hashes[high - 1];
    if (wanted <= least || wanted > most) {
      if (wanted > most) low = high;
      break;
    }
    const std::uint64_t span = static_cast<std::uint64_t>(high - 1 - low);
    const std::int64_t guess = low + static_cast<std::int64_t>((wanted - least) * span / (most - least));
    const std::int64_t before = std::max(low, guess - kNear / 2), after = std::min(high - 1, guess + kNear / 2);
    if (hashes[before] >= wanted)
      high = before;
    else if (hashes[after] < wanted)
      low = after + 1;
    else
      low = before + 1, high = after;
  }
  while (low < high && hashes[low] < wanted) ++low;
  for (; low < size && hashes[low] == wanted; ++low) {
    const std::int64_t id = order[low];
    if (id >= size) continue;
    const std::int64_t known = offsets[id + 1] - offsets[id];
    if (known == static_cast<std::int64_t>(length) && equal(data + offsets[id], word, length))
      return static_cast<std::int32_t>(id);
  }
  return -1;
}

}  // namespace fuzzbow
