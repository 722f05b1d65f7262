import { appendFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { argv, kill, pid } from 'node:process'
import type { Failpoint } from '@troupe/store'
import { consent, openCrashStore, openCrashTeam, ROOT, type CrashSite } from './crash-team.ts'

/**
 * Runs the team of a site once, in a process that is killed at a failpoint or from outside. Each event is written to disk when it is
 * received, and then its number is printed. Without a failpoint the program lists the failpoints that it passes.
 */
const [, , given = '', point] = argv
const site = JSON.parse(given) as CrashSite
const STDOUT = 1

const passes = new Map<string, number>()
const failpoint: Failpoint = (moment, what) => {
  const name = `${moment} ${what}`
  const pass = (passes.get(name) ?? 0) + 1
  passes.set(name, pass)
  const passed = `${name} (${pass})`
  if (point === undefined) appendFileSync(join(site.folder, 'points.txt'), `${passed}\n`)
  if (passed === point) kill(pid, 'SIGKILL')
}

const store = await openCrashStore(site, failpoint)
const host = await openCrashTeam(site, store)
await host.run('Planner', 'Go.', {
  runId: ROOT,
  approve: consent(site),
  onEvent: (event) => {
    if (event.seq === undefined) return
    appendFileSync(join(site.folder, 'acknowledged.jsonl'), `${JSON.stringify(event)}\n`)
    writeSync(STDOUT, `${event.seq}\n`)
  },
})
await host.close()
