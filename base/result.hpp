#pragma once

#include "base/error.hpp"

#include <boost/system/result.hpp>

#include <stdexcept>

namespace sluice {

// Called by boost::system::result when value() is taken from an error: a bug, so an exception.
[[noreturn]] inline void throw_exception_from_error(
    const error& e, const boost::source_location& /*where*/
) {
    throw std::logic_error("value() taken from an error: " + e.message);
}

// boost::system::result is not [[nodiscard]] in 1.81; ours is.
template <class T>
class [[nodiscard]] result : public boost::system::result<T, error> {
public:
    using boost::system::result<T, error>::result;
};

using outcome = result<void>;

} // namespace sluice
