-- wrk sends requests that were prepared in files, one per thread: each an 8-digit length and the bytes of one whole request.
-- Arguments: the files' common name; "once" (each request at most once) or "again" (from the start when the file ends).
local threads = {}

function setup(thread)
    thread:set("number", #threads)
    table.insert(threads, thread)
end

function init(args)
    file = assert(io.open(args[1] .. "." .. number, "rb"))
    again = args[2] == "again"
    exhausted = 0
end

local function next_request()
    local size = file:read(8)
    return size and file:read(tonumber(size))
end

function request()
    local bytes = next_request()
    if not bytes then
        if not again then
            exhausted = 1
            wrk.thread:stop()
        end
        file:seek("set")
        bytes = next_request()
    end
    return bytes
end

function done(summary, latency, requests)
    local dry = 0
    for _, thread in ipairs(threads) do
        dry = dry + thread:get("exhausted")
    end
    local errors = summary.errors
    io.write(string.format(
        '\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d,"exhausted":%d}\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
        errors.connect + errors.read + errors.write + errors.timeout, dry
    ))
end
