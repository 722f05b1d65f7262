import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const UNITS = path.join(import.meta.dirname, '../systemd')
const SERVER = 'troupe-server.service'
const NAMES = [SERVER, 'troupe-worker@.service', 'troupe-slack.service'] as const
/** Exposure to attacks as systemd rates it, from 0 to 10. Above 5 it calls a unit exposed. */
const LARGEST_EXPOSURE = 3

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-units-'))
afterAll(() => rmSync(folder, { recursive: true }))

const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version']).error === undefined
const NOTE = HAS_SYSTEMD ? '' : ' – NOT RUN: there is no systemd-analyze'

const withProgram = (text: string): string => text.replaceAll('/usr/local/bin/troupe', process.execPath)

/** Writes a unit, whose program is replaced by one that exists on this machine. Returns its file. */
function writeUnit(name: string, change: (text: string) => string): string {
  const file = path.join(folder, name.replace('@.', '@1.'))
  writeFileSync(file, withProgram(change(readFileSync(path.join(UNITS, name), 'utf8'))))
  // systemd reads the template, too
  if (name.includes('@')) copyFileSync(file, path.join(folder, name))
  return file
}

/** Returns what systemd reports about a unit. */
function verifyUnit(name: string, change: (text: string) => string = (text) => text): string {
  const words = ['verify', '--recursive-errors=no', writeUnit(name, change)]
  const { stderr, status } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  return status === 0 ? '' : `${status} ${stderr}`
}

describe('units for systemd', () => {
  it('no unit has a key that would prevent the containment of commands and MCP servers in namespaces', () => {
    const keys = /^(?:RestrictNamespaces|ProtectKernelLogs|ProtectKernelTunables|ProcSubset)=/mu
    for (const name of NAMES) expect(readFileSync(path.join(UNITS, name), 'utf8')).not.toMatch(keys)
  })

  it.skipIf(!HAS_SYSTEMD)(
    `systemd accepts the units of server, workers and Slack app, and the drop-in for workers${NOTE}`,
    () => {
      const dropIns = path.join(folder, `${SERVER}.d`)
      mkdirSync(dropIns)
      const dropIn = withProgram(readFileSync(path.join(UNITS, 'workers.conf'), 'utf8'))
      for (const name of NAMES) expect(verifyUnit(name)).toBe('')
      writeFileSync(path.join(dropIns, 'workers.conf'), dropIn)
      expect(verifyUnit(SERVER)).toBe('')
      rmSync(dropIns, { recursive: true })
    },
  )

  it.skipIf(!HAS_SYSTEMD)(`a misspelt key of a unit is found${NOTE}`, () => {
    expect(verifyUnit(SERVER, (text) => text.replace('Restart=', 'Restrt='))).toContain('Restrt')
  })

  it.skipIf(!HAS_SYSTEMD)(`systemd rates no unit as exposed${NOTE}`, () => {
    for (const name of NAMES) {
      const words = ['security', '--offline=yes', '--no-pager', writeUnit(name, (text) => text)]
      const { stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
      const level = /exposure level for \S+: (?<level>[\d.]+)/u.exec(stdout)?.groups?.['level']
      // with the errors of systemd if it did not rate the unit
      expect(level ?? stderr).toMatch(/^[\d.]+$/u)
      expect(Number(level)).toBeLessThanOrEqual(LARGEST_EXPOSURE)
    }
  })
})
