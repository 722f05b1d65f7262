import { cp, rm } from 'node:fs/promises'
const { bundleProgram } = await import('/tmp/wt/terminal/apps/cli/test/bundle-program.ts')
const { file, remove } = await bundleProgram()
await rm('/tmp/tt/app', { recursive: true, force: true })
await cp(file.replace(/\/dist\/bin\.js$/, ''), '/tmp/tt/app', { recursive: true, dereference: true })
await remove()
