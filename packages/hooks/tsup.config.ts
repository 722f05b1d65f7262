import { library } from '@troupe/tooling/tsup'

export default library({ entry: ['src/index.ts', 'src/compose.ts', 'src/guards.ts'] })
