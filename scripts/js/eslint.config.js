/**
 * The rules for our JavaScript: ESLint's and typescript-eslint's recommended ones, and those that find a promise that
 * nobody waits for. Style is left to the writer.
 */
import path from 'node:path'
import js from '@eslint/js'
import globals from 'globals'
import typescript from 'typescript-eslint'

const FACADE = 'autocraft/sandbox/node/facade/**/*.js'
const INSIDE = 'autocraft/sandbox/node/inside.js'
const PAGE = 'autocraft/evaluation/page/js/**/*.js'

export default [
  js.configs.recommended,
  {
    files: ['autocraft/**/*.js'],
    plugins: { typescript: typescript.plugin },
    languageOptions: {
      ecmaVersion: 2024,
      sourceType: 'commonjs',
      globals: globals.node,
      parser: typescript.parser,
      parserOptions: {
        project: ['minecraft', 'sandbox', 'facade', 'page'].map((name) => path.join(import.meta.dirname, `tsconfig.${name}.json`))
      }
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-empty': ['error', { allowEmptyCatch: true }],
      'no-unused-vars': ['error', { args: 'after-used', caughtErrors: 'all', ignoreRestSiblings: true, argsIgnorePattern: '^_+$' }],
      'no-constructor-return': 'error',
      'no-redeclare': ['error', { builtinGlobals: false }], // a module may have its own valueOf
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unreachable-loop': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'array-callback-return': 'error',
      'typescript/await-thenable': 'error',
      'typescript/no-floating-promises': 'error',
      'typescript/no-misused-promises': ['error', { checksVoidReturn: false }],
      'typescript/only-throw-error': 'error'
    }
  },
  // The parts of the facade and of the page are joined to one script each, so a name of one is used in another.
  {
    files: [FACADE, PAGE, INSIDE],
    languageOptions: { sourceType: 'script', globals: { ...globals.es2024 } },
    // the type checker knows all the parts of a script, and checks both
    rules: { 'no-undef': 'off', 'no-unused-vars': ['error', { vars: 'local', args: 'after-used', caughtErrors: 'all' }] }
  }
]
