/** Holds a write transaction on the database named in the first argument until its input ends. */
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(process.argv[2] ?? '')
database.exec('BEGIN IMMEDIATE')
console.log('held')
process.stdin.on('end', () => database.close()).resume()
