#pragma once
// Hugging Face's config.json as a ModelSpec.

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/diagnostic.h"
#include "workloads/model.h"

namespace stepsim {

/// Reads the text of a config.json of the families that hf_families() names; multimodal files are read at their
/// `text_config`. `file` stands in the findings. Empty if there was an error.
std::optional<ModelSpec> read_hf_config(std::string_view json_text, const std::string& file, Diagnostics& diagnostics);

/// "llama, mixtral, …": values of `model_type` that can be read.
std::string hf_families();

}  // namespace stepsim
