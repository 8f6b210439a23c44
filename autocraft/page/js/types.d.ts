/** What the scripts of all pages share. `make lint-js` reads this, the pages do not. */

/** What an element may hold; a list stands for its members. */
type Child = Node | string | number | Child[]
