/** Writes `docs/trust.md` from the requirements, the tests that cite them, and the recorded results of the soak. */
import { writeFile } from 'node:fs/promises'
import { readTrustData, trustProblems } from '../src/trust/trust-data.ts'
import { TRUST_PAGE } from '../src/trust/trust-files.ts'
import { trustPage } from '../src/trust/trust-page.ts'

const data = await readTrustData()
const problems = await trustProblems(data)
for (const problem of problems) console.error(problem)
await writeFile(TRUST_PAGE, trustPage(data))
process.exitCode = problems.length === 0 ? 0 : 1
