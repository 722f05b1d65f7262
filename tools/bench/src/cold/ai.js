import { generateText } from 'ai'
import { model, report } from './model.js'

report((await generateText({ model, instructions: 'Answer briefly.', prompt: 'hello' })).text)
