import { openSession } from '@troupe/core'
import { model, report } from './model.js'

const session = openSession({ agent: { name: 'root', instruction: 'Answer briefly.' }, model })
report((await session.run('hello')).text)
