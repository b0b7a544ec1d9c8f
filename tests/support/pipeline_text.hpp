#pragma once

#include <string>

namespace sluice::tests {

// A Pipeline manifest that is right, ending inside `spec`, so that a test can add a field to it.
inline std::string pipeline_text(const std::string& name, const std::string& app = "podinfo") {
    return "apiVersion: pipelines.weave.works/v1alpha1\n"
           "kind: Pipeline\n"
           "metadata: {name: " +
           name +
           ", namespace: default}\n"
           "spec:\n"
           "  appRef:\n"
           "    kind: HelmRelease\n"
           "    apiVersion: helm.toolkit.fluxcd.io/v2\n"
           "    name: " +
           app +
           "\n"
           "  environments:\n"
           "  - {name: dev, targets: [{namespace: dev}], secretRef: {name: dev-events}}\n"
           "  - {name: prod, targets: [{namespace: prod}], secretRef: {name: prod-events}}\n"
           "  promotion: {strategy: {notification: {}}}\n";
}

// All lines but the first moved to the right.
inline std::string indented(const std::string& text, std::size_t by) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] == '\n' && i + 1 < text.size()) out.append(by, ' ');
    }
    return out;
}

} // namespace sluice::tests
