export { findInterpreter, VENV, type InterpreterSearch } from './find-interpreter.ts'
export { createPythonFunctions, type PythonFunctions, type PythonOptions } from './python-functions.ts'
