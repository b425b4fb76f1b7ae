/**
 * The layer that a host adds to its routes: the same engine and the same HTTP interface as the server of our own, under `/contextmd`.
 *
 * Whatever fails while it is built turns into an interface that lets every call pass and says why: a layer that fails in the host's route
 * merge would stop the whole host. For the same reason all that is not Effect is loaded only when the layer is built.
 */
import { Effect, Layer } from 'effect'
import { answerRequest } from './answer.ts'
import type { EffectHttp } from './effect-http.ts'
import { openOrDisable, type Open } from './opening.ts'
import { findServices, type HostTags } from './services.ts'

/** `open`: tests open something else than the engine. */
export function mountLayer<Answer, Router>(
  http: EffectHttp<Answer, Router>,
  tags: HostTags,
  open?: Open,
): Layer.Layer<never, never, Router> {
  return Layer.unwrap(
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const services = findServices(context, tags, http.sql)
      const inside = yield* Effect.acquireRelease(
        Effect.promise(() => openOrDisable(services, context, open)),
        // what fails here must not fail the host's own end
        (opened) => Effect.promise(() => opened.close().catch(() => {})),
      )
      return http.route((request) => answerRequest({ http, inside, authenticate: services.authenticate }, request))
    }),
  )
}
