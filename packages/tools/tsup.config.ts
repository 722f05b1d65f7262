import { library } from '@troupe/tooling/tsup'

export default library({
  entry: [
    'src/index.ts',
    'src/validation/create-validator.ts',
    'src/function-worker.ts',
    'src/input-template.ts',
    'src/prompt-template.ts',
  ],
})
