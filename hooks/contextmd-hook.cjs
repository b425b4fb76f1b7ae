/**
 * node contextmd-hook.cjs URL HEADER_FILE SECONDS OFF MISSED
 * node contextmd-hook.cjs URL KEY_FILE SECONDS proof
 *
 * What `contextmd-hook.sh` uses where neither curl nor wget is there. The first form posts stdin and prints the body, a newline and the
 * status; the second ends with 0 if the server at the URL proves that it has the key. Exits with 1 and prints nothing when there was no
 * answer in time. Runs on any Node, hence neither modules nor `fetch`.
 */
const crypto = require('crypto')
const fs = require('fs')
const http = require('http')

const [url, file, seconds, off, missed] = process.argv.slice(2)
/** A proof has 64 characters. */
const MAX_PROOF = 64

function fail() {
  process.exit(1)
}

process.on('uncaughtException', fail)
setTimeout(fail, Number(seconds) * 1000).unref()

if (off === 'proof') prove()
else post()

function post() {
  const header = fs.readFileSync(file, 'utf8').trim()
  const colon = header.indexOf(':')
  const event = fs.readFileSync(0)
  const headers = {
    [header.slice(0, colon)]: header.slice(colon + 1).trim(),
    'content-type': 'application/json',
    'content-length': event.length,
    'contextmd-off': off || '',
    'contextmd-missed': missed || '',
  }
  send('POST', url, headers, event, (text, status) => fs.writeSync(1, `${text}\n${status}`))
}

function prove() {
  const key = fs.readFileSync(file, 'utf8').trim()
  const nonce = crypto.randomBytes(32).toString('hex')
  const port = /:(\d+)\//.exec(url)[1]
  const wanted = crypto.createHash('sha256').update(`${nonce}:${port}:${key}\n`).digest('hex')
  send('GET', `${url}?nonce=${nonce}`, {}, '', (text) => process.exit(text === wanted ? 0 : 1), MAX_PROOF)
}

function send(method, to, headers, body, done, limit = Infinity) {
  const request = http.request(to, { method, headers }, (response) => {
    const parts = []
    let size = 0
    response.on('data', (part) => {
      parts.push(part)
      size += part.length
      if (size > limit) fail()
    })
    response.on('aborted', fail)
    response.on('end', () => done(Buffer.concat(parts).toString(), response.statusCode))
  })
  request.on('error', fail)
  request.end(body)
}
