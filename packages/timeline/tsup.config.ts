import { library } from '@troupe/tooling/tsup'

export default library({ entry: ['src/index.ts', 'src/html/index.ts', 'src/plain-text.ts'] })
