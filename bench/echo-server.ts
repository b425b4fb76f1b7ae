/**
 * What every local server costs that keeps what it was told: parses the body, commits one row, answers with the body.
 *
 * Run as a process of its own: `node echo-server.ts FILE` prints its port, and ends with SIGTERM. The database has the same journal and
 * the same promises as ours.
 */
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

const [file = ':memory:'] = process.argv.slice(2)
const database = new DatabaseSync(file)
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 10000')
database.exec('CREATE TABLE events (number INTEGER PRIMARY KEY, session TEXT NOT NULL, event TEXT NOT NULL, at REAL NOT NULL) STRICT')
const add = database.prepare('INSERT INTO events (session, event, at) VALUES (?, ?, ?)')

const server = createServer({ keepAliveTimeout: 300_000, noDelay: true }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    const event = JSON.parse(body.toString()) as Readonly<Record<string, unknown>> // the benchmark posts objects
    add.run(String(event['session_id']), String(event['hook_event_name']), Date.now())
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`listening on ${typeof address === 'object' ? address?.port : address}\n`)
})
process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  database.close()
})
