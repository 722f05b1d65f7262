import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { model } from './cold-model.js'

const agent = defineAgent({ name: 'agent', instruction: 'Answer briefly.', model: 'bench/cold' })
const host = await createHost({ cards: [agent], config: false, cwd: '/', models: { 'bench/cold': model } })
const report = await host.run('agent', 'hello')
process.stdout.write(report.output.text)
await host.close()
