import { copyFileSync } from 'node:fs'
import { library } from '@troupe/tooling/tsup'

export default library({
  entry: ['src/index.ts'],
  // Python runs it from beside the module
  onSuccess: async () => copyFileSync('src/bridge.py', 'dist/bridge.py'),
})
