/** Help of the argument that names an item. */
export const itemHelp = 'Item ID, or title if only one item has it';
