import { Context } from 'effect'
import { expect, test } from 'vitest'
import { findServices } from './services.ts'

const SQL = { key: 'effect/sql/SqlClient' }

function contextOf(services: Readonly<Record<string, unknown>>): Context.Context<never> {
  let context = Context.empty() as Context.Context<never>
  for (const [key, service] of Object.entries(services)) {
    context = Context.add(context, Context.Service<unknown, unknown>(key), service) as Context.Context<never>
  }
  return context
}

const auth = (name: string) => ({ authenticateHttpRequest: () => name })

test('services are found by what they can do, whatever their keys', () => {
  const found = findServices(contextOf({ 'my-fork/Door': auth('a'), 'my-fork/Places': { stateDir: '/home/dev/state' } }), {}, SQL)
  expect(found.authenticate).not.toBeNull()
  expect(found.stateDir).toBe('/home/dev/state')
  expect(found.sql).toBeNull()
})

test('of several the one with the usual name counts, and before all the one that the host hands over', () => {
  const context = contextOf({
    'x/Other': { stateDir: '/other' },
    'x/config/ServerConfig': { stateDir: '/usual' },
    'x/Mine': { stateDir: '/mine' },
  })
  expect(findServices(context, {}, SQL).stateDir).toBe('/usual')
  expect(findServices(context, { config: { key: 'x/Mine' } }, SQL).stateDir).toBe('/mine')
  expect(findServices(context, { config: { key: 'x/None' } }, SQL).stateDir).toBeNull()
})

test('S1: a service that throws when it is looked at, or is of another form, is none', () => {
  const trap = new Proxy(
    {},
    {
      has: () => {
        throw new Error('hands off')
      },
    },
  )
  const services = { 't/EnvironmentAuth': trap, 't/ServerConfig': { stateDir: 5 }, 'effect/sql/SqlClient': 'none' }
  expect(findServices(contextOf(services), {}, SQL)).toEqual({ authenticate: null, stateDir: null, sql: null })
})

test('a database client is a function with methods', () => {
  const client = Object.assign(() => {}, { unsafe: () => {} })
  expect(findServices(contextOf({ 'effect/sql/SqlClient': client }), {}, SQL).sql).toBe(client)
})
