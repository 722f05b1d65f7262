import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DCLinter } from 'dclint'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'

const compose = readFileSync(path.join(import.meta.dirname, '../compose/compose.yaml'), 'utf8')

interface LintedFile {
  readonly messages: readonly { readonly rule: string; readonly line: number; readonly message: string }[]
}

/** Returns the rules that a compose file breaks. */
function lint(text: string): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-compose-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'compose.yaml')
  writeFileSync(file, text)
  const rules = {
    // Servers precede their clients here.
    'services-alphabetical-order': 0,
    'service-keys-order': 0,
    'service-dependencies-alphabetical-order': 0,
    'service-ports-alphabetical-order': 0,
    // The image of the team has its tag in a variable.
    'service-image-require-explicit-tag': 0,
  } as const
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] })
  const files = linter.lintFiles([file], false) as readonly LintedFile[]
  return files.flatMap(({ messages }) =>
    messages.map(({ rule, line, message }) => `${rule} ${line}: ${message}`),
  )
}

interface ComposeService {
  readonly image: string
  readonly restart?: string
  readonly read_only?: boolean
  readonly security_opt?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly healthcheck?: { readonly disable?: boolean }
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory: string } } }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_grace_period?: string
  readonly ports?: readonly string[]
}

const { services } = parse(compose, { merge: true }) as {
  readonly services: Readonly<Record<'db' | 'server' | 'worker' | 'caddy', ComposeService>>
}

it('the compose file follows the specification and the rules of the linter', () => {
  expect(lint(compose)).toEqual([])
})

it('a misspelt key and a port that is open to other machines are found in a compose file', () => {
  expect(lint(compose.replace('healthcheck:', 'healthchek:'))).not.toEqual([])
  expect(lint(compose.replace('127.0.0.1:7788:7788', '7788:7788'))).not.toEqual([])
})

it('every service of the compose file restarts, cannot gain rights or write its image, and has a limit of memory and a tag', () => {
  expect(Object.keys(services)).toEqual(['db', 'server', 'worker', 'caddy'])
  for (const service of Object.values(services)) {
    expect(service).toMatchObject({ restart: 'always', read_only: true })
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    expect(service.deploy?.resources.limits.memory).toBeDefined()
    expect(service.image).toMatch(/^\$\{TROUPE_IMAGE:-localhost\/|:\d[\w.-]+$/u)
  }
  for (const name of ['server', 'worker', 'caddy'] as const) expect(services[name].cap_drop).toEqual(['ALL'])
  expect(services.worker.healthcheck).toEqual({ disable: true })
})

it('the compose file passes RUN_BASE to the build, with the default of the Containerfile', () => {
  const containerfile = readFileSync(path.join(import.meta.dirname, '../image/Containerfile'), 'utf8')
  const base = /^ARG RUN_BASE=(?<image>.+)$/mu.exec(containerfile)?.groups?.['image']
  expect(base).toMatch(/:nonroot$/u)
  for (const name of ['server', 'worker'] as const)
    expect(services[name]).toMatchObject({ build: { args: { RUN_BASE: `\${RUN_BASE:-${base}}` } } })
})

it('the compose file builds the image of the team, unless TROUPE_PULL says to get it from a registry', () => {
  for (const name of ['server', 'worker'] as const)
    expect(services[name]).toMatchObject({
      build: { context: '../..', dockerfile: 'deploy/image/Containerfile' },
      pull_policy: '${TROUPE_PULL:-build}',
    })
})

it('secrets are files: no variable of the compose file has the name of one', () => {
  const names = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment))
  expect(names.filter((name) => !name.endsWith('FILE')).join(' ')).not.toMatch(/KEY|TOKEN|SECRET|PASSWORD/u)
  for (const name of ['server', 'worker'] as const)
    expect(services[name].command).toContain('/run/secrets/troupe.env')
})

it('only the proxy of the compose file can be reached from other machines', () => {
  const { db, server, worker } = services
  const ports = [db, server, worker].flatMap((service) => service.ports ?? [])
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
})

it('server and workers of the compose file get more time to stop than they need to drain', () => {
  const { command = [], stop_grace_period: grace } = services.worker
  expect(command[command.indexOf('--drain-timeout') + 1]).toBe('10m')
  expect(grace).toBe('11m')
  expect(services.server.stop_grace_period).toBe('45s')
})
