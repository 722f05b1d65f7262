import { report } from './model.js'

report('done')
