// Lexicons: from texts to scores in one call.
#include "bindings/lexicon_texts.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <mutex>
#include <optional>

#include "bindings/tables.hpp"
#include "bindings/text_views.hpp"
#include "bindings/word_source.hpp"
#include "scores/pairs.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

// Bytes of two texts up to which the interpreter lock is not released, as getting it back may take long.
constexpr std::size_t kShortTexts = 1024;

// Views a str, or a list of the words it was split into.
InputText input_text(nb::handle object, Kept& kept) {
  InputText text;
  if (nb::isinstance<nb::list>(object))
    for (nb::handle word : nb::borrow<nb::list>(object)) text.words.push_back(view_of(word, kept));
  else
    text.text = view_of(object, kept);
  return text;
}

std::vector<InputText> input_texts(nb::list objects, Kept& kept) {
  std::vector<InputText> texts;
  texts.reserve(nb::len(objects));
  for (nb::handle object : objects) texts.push_back(input_text(object, kept));
  return texts;
}

std::vector<InputText> input_texts(const TextViews& views) {
  std::vector<InputText> texts(views.all().size());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].text = views.all()[i];
  return texts;
}

void make_lexicon(BoundLexicon* self, nb::object table_object, std::optional<std::string> splitting) {
  const Table& table = table_of(table_object, "table");
  std::optional<Splitting> kind;
  if (splitting) kind = splitting_of(*splitting);
  new (self) BoundLexicon{table_object, std::make_unique<Lexicon>(table, kind), {}, {}, {}, {}};
}

Vocabulary vocabulary_of(nb::handle words) {
  Vocabulary found;
  Kept kept;
  for (nb::handle word : words) {
    const TextView view = view_of(word, kept);
    found.add(view.data, view.length);
  }
  return found;
}

void learn_from(BoundLexicon& self, nb::object source_object, nb::object chunks, nb::list contrasted,
                nb::object trigrams, nb::object corpus_rows, nb::list others, nb::object other_rows,
                std::size_t most_bytes) {
  const BoundWordSource* source = nullptr;
  if (!nb::try_cast(source_object, source) || !source)
    must("source", "a WordSource", nb::str(source_object.type().attr("__name__")).c_str());
  ChunkRules rules;
  rules.certain = !chunks.is_none();
  if (rules.certain) {
    const auto words = [&](const char* name) { return vocabulary_of(nb::object(chunks[name])); };
    rules.whole = member_of<bool>(chunks, "whole", "a bool");
    rules.changed = words("changed");
    rules.prefixes = words("prefixes");
    rules.clitics = words("clitics");
  }
  rules.contrasted = vocabulary_of(contrasted);
  Table& table = nb::cast<Table&>(self.table_object);
  check_length("vectors of the source", source->source.dimension(), "the table", table.dimension());
  if (source->source.has_rules() != table.rules()) must("source", "one with rules where the table has them", "another");
  auto learner = std::make_unique<WordLearner>(source->source, std::move(rules), table, *self.lexicon, most_bytes);
  const auto own = array_of<std::uint64_t>(trigrams, "trigrams", 1);
  learner->trigrams().begin_with(own.data, own.rows);
  const auto rows = optional_of<std::int32_t>(corpus_rows, "corpus_rows", 1);
  if (rows.array.is_valid()) {
    check_length("corpus_rows", rows.rows, "the vocabulary", source->source.size());
    const auto more = array_of<std::int32_t>(other_rows, "other_rows", 1);
    check_length("other_rows", more.rows, "others", static_cast<std::int64_t>(nb::len(others)));
    learner->query(rows.data, vocabulary_of(others), {more.data, more.data + more.rows});
  }
  self.source_object = source_object;
  self.corpus_object = corpus_rows;
  self.learner = std::move(learner);
}

void segment_by(BoundLexicon& self, nb::object object) {
  const Vocabulary* vocabulary = nullptr;
  if (!nb::try_cast(object, vocabulary) || !vocabulary)
    must("vocabulary", "a Vocabulary", nb::str(object.type().attr("__name__")).c_str());
  if (self.vocabulary_object.is_valid()) return;  // readers may be using it
  self.vocabulary_object = object;
  nb::gil_scoped_release released;
  std::unique_lock<std::shared_mutex> alone(self.lexicon->table().mutex());
  self.lexicon->segment_by(*vocabulary);
}

void add_chunks(BoundLexicon& self, nb::list chunks, nb::object places, nb::object offsets, nb::object corpus_ids) {
  Lexicon& lexicon = *self.lexicon;
  const std::int64_t rows = lexicon.table().size();
  const auto view = array_of<std::int64_t>(places, "places", 1);
  const auto bounds = array_of<std::int64_t>(offsets, "offsets", 1);
  check_length("offsets", bounds.rows, "chunks plus one", static_cast<std::int64_t>(nb::len(chunks)) + 1);
  check_offsets("offsets", bounds, view.rows);
  for (std::int64_t i = 0; i < view.rows; ++i)
    if (view.data[i] < 0 || view.data[i] >= rows)
      must("places", "below the number of rows, " + std::to_string(rows), std::to_string(view.data[i]));
  const auto known = optional_of<std::int64_t>(corpus_ids, "corpus_ids", 1);
  if (known.data) check_length("corpus_ids", lexicon.identified() + known.rows, "the table, with those before", rows);
  for (std::int64_t i = 0; i < known.rows; ++i)
    if (known.data[i] < -1 || known.data[i] >= kNoWord)
      must("corpus_ids", "-1 or words", std::to_string(known.data[i]));
  Kept kept;
  std::vector<TextView> views;
  for (nb::handle chunk : chunks) views.push_back(view_of(chunk, kept));
  nb::gil_scoped_release released;
  std::unique_lock<std::shared_mutex> alone(lexicon.table().mutex());
  for (std::int64_t i = 0; i < known.rows; ++i) lexicon.identify(static_cast<std::uint32_t>(known.data[i]));
  for (std::size_t i = 0; i < views.size(); ++i)
    lexicon.add(views[i], view.data + bounds.data[i], bounds.data[i + 1] - bounds.data[i]);
}

// Waits without the interpreter lock, which the thread that holds the table may need.
TableLock locked(const Table& table) {
  TableLock lock(table.mutex(), std::try_to_lock);
  if (lock.owns_lock()) return lock;
  nb::gil_scoped_release released;
  lock.lock();
  return lock;
}

using TableOwner = std::unique_lock<std::shared_mutex>;

// Waits without the interpreter lock, as `locked` does.
TableOwner owned(const Table& table) {
  TableOwner lock(table.mutex(), std::try_to_lock);
  if (lock.owns_lock()) return lock;
  nb::gil_scoped_release released;
  lock.lock();
  return lock;
}

const char* name_of(WordLearner::State state) {
  switch (state) {
    case WordLearner::State::kDone:
      return "done";
    case WordLearner::State::kFull:
      return "full";
    case WordLearner::State::kDamaged:
      return "damaged";
    case WordLearner::State::kUnfit:
      return "unfit";
  }
  return "";
}

WordLearner& learner_of(const BoundLexicon& self) {
  if (!self.learner) must("a lexicon that learns words", "given a source", "none");
  return *self.learner;
}

nb::list list_of(const std::vector<std::string>& words) {
  nb::list found;
  for (const std::string& word : words)
    found.append(nb::steal(PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), "surrogatepass")));
  return found;
}

nb::tuple learn_missing(BoundLexicon& self, const LexiconTexts& texts) {
  WordLearner& learner = learner_of(self);
  std::vector<std::string> rest;
  WordLearner::State state;
  {
    nb::gil_scoped_release released;
    const TableOwner alone(self.lexicon->table().mutex());
    state = learner.learn(texts.read.missing, rest);
  }
  return nb::make_tuple(name_of(state), list_of(rest));
}

std::string string_of(nb::handle word) {
  Kept kept;
  const TextView view = view_of(word, kept);
  return {view.data, view.length};
}

const char* learn_words(BoundLexicon& self, nb::list chunks, nb::list words) {
  WordLearner& learner = learner_of(self);
  check_length("words", static_cast<std::int64_t>(nb::len(words)), "chunks",
               static_cast<std::int64_t>(nb::len(chunks)));
  Kept kept;
  std::vector<TextView> views;
  std::vector<WrittenWord> written;
  std::vector<std::int64_t> offsets{0};
  for (nb::handle chunk : chunks) views.push_back(view_of(chunk, kept));
  for (nb::handle group : words) {
    for (nb::handle word : group)
      if (nb::isinstance<nb::str>(word))
        written.push_back(learner.written(string_of(word)));
      else
        written.push_back(
            {string_of(word[0]), string_of(word[1]), nb::cast<std::uint8_t>(word[2]), nb::cast<std::uint8_t>(word[3])});
    offsets.push_back(static_cast<std::int64_t>(written.size()));
  }
  const TableOwner alone = owned(self.lexicon->table());
  return name_of(learner.learn(views, written, offsets));
}

std::size_t bytes_of(const InputText& text) {
  std::size_t total = text.text.length;
  for (const TextView& word : text.words) total += word.length;
  return total;
}

void score_read(const Lexicon& lexicon, const ReadTexts& read, const SetSimilarity& similarity, Execution& execution,
                float& found) {
  const std::int64_t left = 0, right = 1;
  pairs(lexicon.table(), read.ragged(), {&left, 1}, {&right, 1}, similarity, execution, &found);
}

// Scores two texts, after learning their new words if wanted. `complete` is false if a text cannot be read, or a word
// is missing.
nb::object score(const BoundLexicon& self, nb::handle a, nb::handle b, const SetSimilarity& similarity, bool learn) {
  const Lexicon& lexicon = *self.lexicon;
  Kept kept;
  const InputText texts[] = {input_text(a, kept), input_text(b, kept)};
  const bool is_short = bytes_of(texts[0]) + bytes_of(texts[1]) <= kShortTexts;
  bool readable = true;
  ReadTexts read;
  float found = 0.0f;
  WordNumbers missing;
  const auto work = [&](Execution& execution) {
    LexiconReader reader(lexicon);
    for (const InputText& text : texts) {
      readable = readable && reader.read(text, learn ? &missing : nullptr, read.rows);
      read.offsets.push_back(static_cast<std::int64_t>(read.rows.size()));
    }
    if (readable && missing.words().empty()) score_read(lexicon, read, similarity, execution, found);
  };
  const auto run = [&](auto&& some) {
    if (!is_short)
      return without_gil(1, [&](Execution& execution) {
        const TableLock lock(lexicon.table().mutex());
        some(execution);
      });
    Execution here(1);
    const TableLock lock = locked(lexicon.table());
    some(here);
  };
  run(work);
  if (!readable) return nb::none();
  if (missing.words().empty()) return nb::float_(found);
  read.missing = std::move(missing.words());
  std::vector<std::string> rest;
  {
    const TableOwner alone = owned(lexicon.table());
    if (learner_of(self).learn(read.missing, rest) != WordLearner::State::kDone) return nb::none();
  }
  if (!rest.empty()) return list_of(rest);
  bool settled = false;
  run([&](Execution& execution) {
    settled = settle(lexicon, read);
    if (settled) score_read(lexicon, read, similarity, execution, found);
  });
  return settled ? nb::object(nb::float_(found)) : nb::none();
}

nb::object read_inputs(nb::handle self, nb::object texts, std::int64_t threads) {
  const Lexicon& lexicon = *nb::cast<const BoundLexicon&>(self).lexicon;
  Kept kept;
  std::optional<TextViews> views;
  if (!nb::isinstance<nb::list>(texts)) views.emplace(texts);
  const std::vector<InputText> inputs = views ? input_texts(*views) : input_texts(nb::borrow<nb::list>(texts), kept);
  LexiconTexts result{nb::borrow(self), &lexicon, {}};
  bool complete = false;
  without_gil(threads, [&](Execution& execution) {
    const TableLock lock(lexicon.table().mutex());
    complete = read_texts(lexicon, inputs, execution, result.read);
  });
  return complete ? nb::cast(std::move(result)) : nb::none();
}

nb::list missing_words(const LexiconTexts& self) { return list_of(self.read.missing); }

// Holds the interpreter lock: two threads may settle the same texts.
void settle_texts(LexiconTexts& self) {
  const TableLock lock = locked(self.lexicon->table());
  if (!settle(*self.lexicon, self.read)) must("all unmet words", "added before texts are settled", "fewer");
}

std::size_t bytes(const BoundLexicon& self) {
  nb::gil_scoped_release released;  // the thread that holds the lock may wait for the interpreter
  const TableLock lock(self.lexicon->table().mutex());
  return self.lexicon->bytes();
}

}  // namespace

void bind_lexicon(nb::module_& module) {
  nb::class_<LexiconTexts>(module, "LexiconTexts", "Texts as rows of a lexicon's table.")
      .def("__len__", [](const LexiconTexts& self) { return self.read.ragged().size; })
      .def_prop_ro("missing", [](const LexiconTexts& self) { return self.read.missing.size(); })
      .def("missing_words", &missing_words,
           "Return the distinct words that are missing from the lexicon and must be added before the texts are scored.")
      .def("settle", &settle_texts, "Replace missing words by the rows that were added since.");
  nb::class_<BoundLexicon>(module, "Lexicon", "A map from written words to rows of a table.")
      .def("__init__", &make_lexicon, nb::arg("table"), nb::arg("splitting").none())
      .def("add", &add_chunks, nb::arg("chunks"), nb::arg("places"), nb::arg("offsets"),
           nb::arg("corpus_ids") = nb::none(),
           "Add chunks, each with the rows of its words, and the corpus's word ids of new rows.")
      .def("learn_from", &learn_from, nb::arg("source"), nb::kw_only(), nb::arg("chunks").none(), nb::arg("contrasted"),
           nb::arg("trigrams"), nb::arg("corpus_rows").none(), nb::arg("others"), nb::arg("other_rows").none(),
           nb::arg("most_bytes"),
           "Learn missing words from a source, by rules of chunks. Queries of a corpus also need the corpus's row of "
           "each word of the vocabulary, and of other words.")
      .def("learn", &learn_missing, nb::arg("texts"),
           "Learn the missing words of texts: state ('done', 'full', 'damaged' or 'unfit'), and chunks whose words are "
           "not "
           "certain.")
      .def("learn_words", &learn_words, nb::arg("chunks"), nb::arg("words"),
           "Learn chunks of which each has a list of words: (spelling, other case, traits of either), or a "
           "str of ASCII letters.")
      .def("score", &score, nb::arg("left"), nb::arg("right"), nb::arg("similarity"), nb::arg("learn") = false,
           "Score two texts, each a str or a list of words. Returns None if a text cannot be read, or chunks whose "
           "words are missing.")
      .def("read", &read_inputs, nb::arg("texts"), nb::kw_only(), nb::arg("threads") = 0,
           "Read texts for pairs and search. Returns None if a text has letters of scripts without spaces and there "
           "is no vocabulary, or if the lexicon has no splitting.")
      .def("segment_by", &segment_by, nb::arg("vocabulary"),
           "Segment text in scripts without spaces by a vocabulary. Later calls have no effect.")
      .def("__len__", [](const BoundLexicon& self) { return self.lexicon->size(); })
      .def("memory_bytes", &bytes, "Return the memory of the lexicon without its table.");
}

}  // namespace bindings
}  // namespace fuzzbow
