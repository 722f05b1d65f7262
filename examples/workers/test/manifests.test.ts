import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DCLinter } from 'dclint'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { createHost } from '@troupe/host'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { typeCheck, type KubernetesObject } from './type-check.ts'

const root = path.join(import.meta.dirname, '..')
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8')
const folder = mkdtempSync(path.join(tmpdir(), 'troupe-manifests-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface LintedFile {
  readonly messages: readonly { readonly rule: string; readonly line: number; readonly message: string }[]
}

/** Returns the rules that a compose file breaks. */
function lintCompose(text: string): readonly string[] {
  const file = path.join(folder, 'compose.yaml')
  writeFileSync(file, text)
  const rules = {
    // Servers precede their clients here.
    'services-alphabetical-order': 0,
    'service-keys-order': 0,
    'service-dependencies-alphabetical-order': 0,
    // The image of the team has its tag in a variable.
    'service-image-require-explicit-tag': 0,
  } as const
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] })
  const files = linter.lintFiles([file], false) as readonly LintedFile[]
  return files.flatMap(({ messages }) =>
    messages.map(({ rule, line, message }) => `${rule} ${line}: ${message}`),
  )
}

describe('compose.yaml', () => {
  it('the compose file follows the specification and the rules of the linter', () => {
    expect(lintCompose(read('compose.yaml'))).toEqual([])
  })

  it('a misspelt key and a port that is open to other machines are found', () => {
    const text = read('compose.yaml')
    expect(lintCompose(text.replace('healthcheck:', 'healthchek:'))).not.toEqual([])
    expect(lintCompose(text.replace('127.0.0.1:7788:7788', '7788:7788'))).not.toEqual([])
  })

  it('every service of the compose file restarts, and every image has a tag other than latest', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as {
      services: Record<string, { restart?: string; image: string }>
    }
    for (const { restart, image } of Object.values(services)) {
      expect(restart).toBe('always')
      expect(image).toMatch(/^\$\{TROUPE_IMAGE:\?|:\d[\w.-]+$/u)
    }
  })
})

interface PodOwner extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly { readonly image: string; readonly args: readonly string[] }[]
      }
    }
  }
}

const CLASSES = { Deployment, Service, PodDisruptionBudget } as const

function readManifest(): readonly KubernetesObject[] {
  return (parse(read('kubernetes.yaml')) as { items: readonly KubernetesObject[] }).items
}

describe('kubernetes.yaml', () => {
  it('every object of the Kubernetes manifest is valid', () => {
    const items = readManifest()
    expect(items.map(({ kind }) => kind)).toContain('Deployment')
    for (const item of items) new CLASSES[item.kind as keyof typeof CLASSES](item as never).validate()
    expect(typeCheck(items)).toEqual([])
  })

  it('a misspelt field of the Kubernetes manifest is found', () => {
    const items = JSON.parse(
      JSON.stringify(readManifest()).replace('"replicas"', '"replica"'),
    ) as KubernetesObject[]
    expect(typeCheck(items)).toEqual([expect.stringContaining(`'"replica"' does not exist`)])
  })

  it('all containers use one image with a version, and workers get more time than they need to drain', () => {
    const owners = readManifest().filter((item): item is PodOwner => item.kind === 'Deployment')
    const containers = owners.flatMap(({ spec }) => spec.template.spec.containers)
    expect(new Set(containers.map(({ image }) => image)).size).toBe(1)
    for (const { image } of containers) expect(image).toMatch(/:\d+\.\d+\.\d+$/u)
    const worker = owners.find(({ spec }) => spec.template.spec.containers[0]?.args[0] === 'worker')
    const { args = [] } = worker?.spec.template.spec.containers[0] ?? {}
    expect(args[args.indexOf('--drain-timeout') + 1]).toBe('10m')
    expect(worker?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(600)
  })
})

const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version']).error === undefined
const NOTE = HAS_SYSTEMD ? '' : ' – NOT RUN: there is no systemd-analyze'

/** Returns what systemd reports about a unit, whose program is replaced by one that exists on this machine. */
function verifyUnit(name: string, change: (text: string) => string = (text) => text): string {
  const file = path.join(folder, name)
  writeFileSync(file, change(read(name)).replace('/usr/local/bin/troupe', process.execPath))
  const unit = name.includes('@') ? file.replace('@', '@1') : file
  if (unit !== file) copyFileSync(file, unit)
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', unit], {
    encoding: 'utf8',
  })
  return status === 0 ? '' : `${status} ${stderr}`
}

describe('units for systemd', () => {
  it.skipIf(!HAS_SYSTEMD)(`systemd accepts the units of server and workers${NOTE}`, () => {
    expect(verifyUnit('troupe-server.service')).toBe('')
    expect(verifyUnit('troupe-worker@.service')).toBe('')
  })

  it.skipIf(!HAS_SYSTEMD)(`a misspelt key of a unit is found${NOTE}`, () => {
    const change = (text: string): string => text.replace('Restart=', 'Restrt=')
    expect(verifyUnit('troupe-server.service', change)).toContain('Restrt')
  })
})

describe('the team of the example', () => {
  it('the team of the workers example runs without keys', async () => {
    const cwd = path.join(root, 'team')
    const host = await createHost({ cards: ['.'], cwd, config: false })
    try {
      expect(host.plan().problems).toEqual([])
      expect(await host.run(undefined, 'Is the library open today?')).toMatchObject({
        outcome: 'completed',
        problems: [],
      })
    } finally {
      await host.close()
    }
  })
})
