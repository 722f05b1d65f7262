import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createHost } from 'troupe'

const folder = path.join(import.meta.dirname, 'invoices')
/** Tokens that are left for all invoices together. */
let left = 100_000
const host = await createHost({ cards: [import.meta.dirname] })
try {
  for (const filename of readdirSync(folder)) {
    const data = readFileSync(path.join(folder, filename), 'base64')
    const { outcome, output, error, usage } = await host.run('extractor', 'Extract the invoice.', {
      attachments: [{ mediaType: 'text/plain', data, filename }],
      budget: { maxTokens: left },
      onEvent(event) {
        if (event.type === 'warning') console.error(`${filename}: ${event.message}`)
      },
    })
    left -= usage.inputTokens + usage.outputTokens
    if (outcome === 'completed') console.log(JSON.stringify({ filename, ...(output.value as object) }))
    else {
      console.error(`${filename}: ${outcome}: ${error?.message}`)
      process.exitCode = 1
    }
  }
} finally {
  await host.close()
}
