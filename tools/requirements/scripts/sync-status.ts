import { writeFile } from 'node:fs/promises'
import { collectCitations } from '../src/citations.ts'
import { readManifest, writeManifest } from '../src/manifest.ts'
import { readMutants } from '../src/mutants/mutant.ts'
import { ROOT, readmeFiles } from '../src/readme-files.ts'
import { updateStatus } from '../src/update-status.ts'

/** The status of a requirement that lost its last test. */
const LOST = 'needs a test again'

const { requirements } = await readManifest()
const updated = updateStatus(requirements, await collectCitations(ROOT), LOST)
await writeManifest(updated)
for (const file of await readmeFiles(updated, await readMutants())) {
  if (file.text !== file.wanted) await writeFile(file.path, file.wanted)
}
for (const requirement of updated.filter((requirement, index) => requirement !== requirements[index])) {
  process.stdout.write(`${requirement.id} is ${requirement.status}\n`)
}
