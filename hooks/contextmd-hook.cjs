/**
 * node contextmd-hook.cjs URL HEADER_FILE SECONDS OFF MISSED
 *
 * What `contextmd-hook.sh` uses where neither curl nor wget is there. Posts stdin, prints the body, a newline and the status.
 * Exits with 1 and prints nothing when there was no answer in time. Runs on any Node, hence neither modules nor `fetch`.
 */
const fs = require('fs')
const http = require('http')

const [url, headerFile, seconds, off, missed] = process.argv.slice(2)

function fail() {
  process.exit(1)
}

process.on('uncaughtException', fail)
setTimeout(fail, Number(seconds) * 1000).unref()

const header = fs.readFileSync(headerFile, 'utf8').trim()
const colon = header.indexOf(':')
const event = fs.readFileSync(0)
const request = http.request(
  url,
  {
    method: 'POST',
    headers: {
      [header.slice(0, colon)]: header.slice(colon + 1).trim(),
      'content-type': 'application/json',
      'content-length': event.length,
      'contextmd-off': off || '',
      'contextmd-missed': missed || '',
    },
  },
  (response) => {
    const parts = []
    response.on('data', (part) => parts.push(part))
    response.on('aborted', fail)
    response.on('end', () => fs.writeSync(1, `${Buffer.concat(parts).toString()}\n${response.statusCode}`))
  },
)
request.on('error', fail)
request.end(event)
