// Set similarities by name.
#include "scores/set_similarity.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"

namespace fuzzbow {
namespace bindings {

void bind_set_similarity(nb::module_& module) {
  nb::class_<SetSimilarity>(module, "SetSimilarity",
                            "A set similarity: formula, parameters, and the texts whose words are its elements.")
      .def(nb::init<const std::string&, const std::vector<double>&, const std::string&>(), nb::arg("name"),
           nb::arg("parameters") = nb::tuple(), nb::kw_only(), nb::arg("universe") = "dynamic")
      .def_prop_ro("name", &SetSimilarity::name)
      .def_prop_ro("parameters", [](const SetSimilarity& self) { return nb::tuple(nb::cast(self.parameters())); })
      .def_prop_ro("universe", &SetSimilarity::universe_name)
      .def_prop_ro("symmetric", &SetSimilarity::symmetric, "True if swapping the texts changes no score.")
      .def("__repr__", &SetSimilarity::description);
}

}  // namespace bindings
}  // namespace fuzzbow
