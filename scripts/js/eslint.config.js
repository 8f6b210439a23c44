/**
 * Define the rules for our JavaScript: ESLint's and typescript-eslint's recommended ones, those that find a promise
 * that nobody waits for, and one style for all files.
 */
import path from 'node:path'
import js from '@eslint/js'
import stylistic from '@stylistic/eslint-plugin'
import globals from 'globals'
import typescript from 'typescript-eslint'

const FACADE = 'autocraft/sandbox/node/facade/**/*.js'
const INSIDE = 'autocraft/sandbox/node/inside.js'
const PAGE = 'autocraft/**/page/js/**/*.js'
const LIVE = 'autocraft/{report,web}/page.js'
/** What the type checker reads. The tests and benchmarks are linted without types. */
const TYPED = ['autocraft/**/*.{js,ts}']
const UNTYPED = ['tests/**/*.js', 'benchmarks/**/*.js', 'scripts/js/*.js']

/** Report a file that does not begin with a JSDoc comment, after its `'use strict'`. */
const header = {
  meta: { schema: [] },
  create: (context) => ({
    Program (program) {
      const { sourceCode } = context
      const [directive] = program.body
      const strict = directive?.directive === 'use strict'
      const first = strict ? sourceCode.getTokenAfter(directive) : sourceCode.ast.tokens[0]
      const [comment] = first ? sourceCode.getCommentsBefore(first) : sourceCode.getAllComments()
      if (comment?.type === 'Block' && comment.value.startsWith('*')) return
      context.report({ node: program, message: 'Begin the file with /** what it is */, after \'use strict\'.' })
    }
  })
}

const RULES = {
  curly: ['error', 'multi-line'],
  eqeqeq: 'error',
  'no-empty': ['error', { allowEmptyCatch: true }],
  'no-unused-vars': ['error', {
    args: 'after-used', caughtErrors: 'all', ignoreRestSiblings: true, argsIgnorePattern: '^_+$'
  }],
  'no-constructor-return': 'error',
  'no-redeclare': ['error', { builtinGlobals: false }], // a module may have its own valueOf
  'no-restricted-syntax': ['error', {
    selector: 'CallExpression[callee.name="require"]' +
      '[arguments.0.value=/^(child_process|crypto|events|fs|module|net|os|path|readline|util|zlib)$/]',
    message: 'Require a module of Node as node:…'
  }],
  'no-self-compare': 'error',
  'no-template-curly-in-string': 'error',
  'no-unreachable-loop': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'array-callback-return': 'error',
  strict: ['error', 'global']
}

const TYPE_RULES = {
  'typescript/await-thenable': 'error',
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': ['error', { checksVoidReturn: false }],
  'typescript/only-throw-error': 'error'
}

const STYLE = {
  ...stylistic.configs.customize({
    indent: 2, quotes: 'single', semi: false, arrowParens: true, braceStyle: '1tbs', commaDangle: 'never',
    quoteProps: 'as-needed', jsx: false
  }).rules,
  '@stylistic/generator-star-spacing': ['error', 'both'],
  '@stylistic/lines-between-class-members': 'off',
  '@stylistic/max-len': ['error', { code: 120 }],
  '@stylistic/max-statements-per-line': 'off',
  '@stylistic/multiline-ternary': 'off',
  '@stylistic/operator-linebreak': ['error', 'after', { overrides: { '?': 'before', ':': 'before' } }],
  '@stylistic/quotes': ['error', 'single', { avoidEscape: true, allowTemplateLiterals: 'avoidEscape' }],
  '@stylistic/rest-spread-spacing': 'off', // it removes the type of what is spread
  '@stylistic/space-before-function-paren': ['error', 'always'],
  'autocraft/header': 'error'
}

export default [
  // Programs as a model writes them, and attacks: their form is what is tested.
  { ignores: ['tests/sandbox/{attacks,probes,shapes,voyager}/**', 'tests/skills/trial/**'] },
  js.configs.recommended,
  {
    files: [...TYPED, ...UNTYPED],
    plugins: { '@stylistic': stylistic, autocraft: { rules: { header } } },
    languageOptions: { ecmaVersion: 2024, sourceType: 'commonjs', globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { ...RULES, ...STYLE }
  },
  {
    files: TYPED,
    plugins: { typescript: typescript.plugin },
    languageOptions: {
      parser: typescript.parser,
      parserOptions: {
        project: ['minecraft', 'sandbox', 'facade', 'page', 'report', 'web']
          .map((name) => path.join(import.meta.dirname, `tsconfig.${name}.json`))
      }
    },
    rules: TYPE_RULES
  },
  {
    files: ['scripts/js/*.js'],
    languageOptions: { sourceType: 'module' },
    rules: { strict: 'off' }
  },
  {
    files: ['autocraft/**/*.d.ts'],
    rules: { strict: 'off', 'no-undef': 'off', 'no-unused-vars': 'off', 'no-redeclare': 'off' }
  },
  // The parts of the façade and of the page are joined to one strict script each, so one part uses names of another.
  {
    files: [FACADE, PAGE, LIVE, INSIDE],
    languageOptions: { sourceType: 'script', globals: { ...globals.es2024 } },
    // the type checker knows all parts of a script, and checks both
    rules: {
      strict: 'off',
      'no-undef': 'off',
      'no-unused-vars': ['error', { vars: 'local', args: 'after-used', caughtErrors: 'all' }]
    }
  }
]
