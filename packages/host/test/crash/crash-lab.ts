import { join } from 'node:path'
import type { RunReport } from '@troupe/schema'
import { tempProject } from '@troupe/testkit/internal'
import { crashProblems } from './crash-problems.ts'
import { startCrashProvider } from './crash-provider.ts'
import { consent, openCrashStore, openCrashTeam, ROOT, writeCrashTeam, type CrashSite } from './crash-team.ts'
import { linesOf, readTraces, type CrashTraces } from './crash-traces.ts'
import { runProgram, type Death } from './run-crash.ts'

/** A run that nothing disturbed: what every other one must come to. */
export interface UndisturbedRun {
  readonly traces: CrashTraces
  readonly report: RunReport
  /** Every failpoint that it passed, in order. */
  readonly points: readonly string[]
}

/** Kills runs and resumes them, each at its own site. */
export interface CrashLab {
  readonly undisturbed: UndisturbedRun
  /** Gives what is wrong after a death. */
  crash(death: Death): Promise<readonly string[]>
  close(): Promise<void>
}

/** A lab in a folder of its own, with the run that nothing disturbed. */
export async function openCrashLab(): Promise<CrashLab> {
  const project = await tempProject()
  let sites = 0
  async function atSite<T>(work: (site: CrashSite) => Promise<T>): Promise<T> {
    const folder = join(project.path, String((sites += 1)))
    writeCrashTeam(folder)
    const provider = await startCrashProvider()
    try {
      return await work({ folder, provider })
    } finally {
      await provider.close()
    }
  }
  const undisturbed = await atSite(runUndisturbed)
  return {
    undisturbed,
    crash: (death) =>
      atSite(async (site) => {
        const end = await runProgram(site, death)
        // at a random moment it may have been faster
        if ('point' in death && end !== 'SIGKILL') return [`it was not killed but ended: ${end}`]
        return crashProblems({ ...(await goOn(site)), undisturbed })
      }),
    close: () => project.remove(),
  }
}

async function runUndisturbed(site: CrashSite): Promise<UndisturbedRun> {
  await runProgram(site)
  const { after, report } = await goOn(site)
  return { traces: after, report, points: linesOf(join(site.folder, 'points.txt')) }
}

interface GoneOn {
  readonly left: CrashTraces
  readonly after: CrashTraces
  readonly report: RunReport
}

/** Resumes the run of a killed process. Starts it if nothing was stored, and returns the report if it has ended. */
async function goOn(site: CrashSite): Promise<GoneOn> {
  const store = await openCrashStore(site)
  const host = await openCrashTeam(site, store)
  try {
    const left = await readTraces(site, store)
    const approve = consent(site)
    const report =
      left.events.length === 0
        ? await host.run('Planner', 'Go.', { runId: ROOT, approve })
        : await host.resume(ROOT, { approve })
    return { left, report, after: await readTraces(site, store) }
  } finally {
    await host.close()
  }
}
