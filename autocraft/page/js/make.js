/** Make the elements of a page. Every text becomes a text node, and is never parsed as markup. */

const SVG = new Set(['svg', 'g', 'rect', 'text', 'title', 'path', 'circle', 'line', 'polyline', 'polygon'])

/**
 * Return an element with attributes and children. A child that is a string becomes a text node.
 * @param {string} name @param {Record<string, unknown>} [attributes] @param {...Child} children
 */
function make (name, attributes = {}, ...children) {
  const element = SVG.has(name)
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(key, String(value))
  }
  const flat = /** @type {unknown[]} */ (children.flat())
  element.append(...flat.map((child) => (child instanceof Node ? child : String(child))))
  return element
}
