/** The host setting of serving.json, as the file stands now: whoever opens a host asks it again and again. */
import type { Millis } from '../core/id.ts'
import type { HostSetting } from '../host.ts'
import { homeFrom, type Paths } from '../paths.ts'
import { openServingFile } from '../stores/serving.ts'

export function hostSettingIn(paths: Pick<Paths, 'serving' | 'config'>, env: NodeJS.ProcessEnv, now: () => Millis): () => HostSetting {
  const file = openServingFile({ serving: paths.serving, config: paths.config, home: homeFrom(env) })
  return () => file.current(now()).serving.host
}
