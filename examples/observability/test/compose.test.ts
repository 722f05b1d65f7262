import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DCLinter } from 'dclint'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'

const root = path.join(import.meta.dirname, '..')
const read = (name: string): unknown => parse(readFileSync(path.join(root, name), 'utf8'))

interface Pipeline {
  readonly receivers: readonly string[]
  readonly processors: readonly string[]
  readonly exporters: readonly string[]
}

interface CollectorConfig extends Readonly<Record<keyof Pipeline, Readonly<Record<string, unknown>>>> {
  readonly service: { readonly pipelines: Readonly<Record<string, Pipeline>> }
}

describe('the collector and its viewer', () => {
  it('the compose file passes its linter and opens ports to this machine only', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-observability-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'compose.yaml')
    copyFileSync(path.join(root, 'compose.yaml'), file)
    // the viewer precedes the collector, which sends to it
    const rules = { 'services-alphabetical-order': 0 } as const
    const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] })
    const files = linter.lintFiles([file], false) as readonly { readonly messages: readonly unknown[] }[]
    expect(files.flatMap(({ messages }) => messages)).toEqual([])
    const { services } = read('compose.yaml') as {
      services: Readonly<Record<string, { readonly ports: readonly string[] }>>
    }
    for (const { ports } of Object.values(services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/u)
  })

  it('each signal has a pipeline, and each part of a pipeline is configured', () => {
    const { service, ...parts } = read('collector.yaml') as CollectorConfig
    expect(Object.keys(service.pipelines)).toEqual(['traces', 'metrics', 'logs'])
    for (const pipeline of Object.values(service.pipelines))
      for (const kind of ['receivers', 'processors', 'exporters'] as const)
        for (const name of pipeline[kind]) expect(Object.keys(parts[kind])).toContain(name)
  })
})
