// Classes of similar words, a byte each: what the highest word of a class stands for is a bound for all of them, and
// a scan looks the bytes of 64 documents up at once.
#pragma once
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "search/corpus_words.hpp"
#include "search/panels.hpp"

namespace fuzzbow {

class WordClasses {
 public:
  // Sorts all words into new classes.
  void learn(const CorpusWords& words, Execution& execution);
  // Sorts words that were added since into the classes of the rarest; no classes stay none.
  void extend(const CorpusWords& words, Execution& execution);

  bool empty() const { return classes_.empty(); }
  // By local id. Frequent words, which the scan knows themselves, have one too.
  const std::uint8_t* data() const { return classes_.data(); }
  std::size_t bytes() const { return classes_.capacity(); }

 private:
  // Words of about the same frequency, by panels, and the classes that are theirs.
  struct Tier {
    std::int64_t begin, end;
    int first_class, classes;
  };
  void learn(const CorpusWords& words, const Tier& tier, Execution& execution);
  void set_centres(const std::vector<float>& centres, std::int64_t dimension);
  void average(const CorpusWords& words, const Tier& tier, std::int64_t step, std::vector<float>& centres) const;
  // The classes of the words of every step-th panel.
  void assign(const CorpusWords& words, const Tier& tier, std::int64_t step, Execution& execution);

  QuantisedBlock centres_;  // of the tier at hand, at last the one of the rarest words
  Tier rarest_ = {};
  std::vector<std::uint8_t> classes_;
};

}  // namespace fuzzbow
