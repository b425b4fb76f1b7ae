/** Writes metrics in Prometheus' text format. */

/** Labels with their values, then the figure. A label `le` or an ending of the name belongs to a histogram. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number, ending?: string]

export interface Metric {
  /** Without the prefix of ours. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

const PREFIX = 'contextmd_'

export function metricsText(metrics: readonly Metric[]): string {
  return metrics.map(linesOf).join('')
}

function linesOf({ name, type, help, samples }: Metric): string {
  const full = PREFIX + name
  const head = `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n`
  return head + samples.map(([labels, value, ending = '']) => `${full}${ending}${labelsOf(labels)} ${value}\n`).join('')
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
