// Who started whom: turns of sub-agents stand below the turn of their session that was running when they began.

/** A turn and the turns of sub-agents below it, newest first. `cost` and `unpriced` are those of the whole tree. */
function node(turn) {
  return { turn, below: [], cost: turn.cost, unpriced: turn.unpriced_calls };
}

/** Whether a turn is of a sub-agent. */
function isBelow(turn) {
  return turn.subagent || turn.parent !== null;
}

/** The tree of `turns`, which are ordered from the newest to the oldest. */
export function grow(turns) {
  const nodes = turns.map(node);
  const sessions = new Map();
  for (const each of nodes) {
    const { session } = each.turn;
    if (!sessions.has(session)) sessions.set(session, []);
    sessions.get(session).push(each);
  }
  const tops = [];
  for (const each of nodes) {
    const above = isBelow(each.turn) ? parentOf(each, sessions.get(each.turn.session)) : null;
    (above?.below ?? tops).push(each);
  }
  tops.forEach(sum);
  return tops;
}

/** The turn that was running in the parent's thread when this one began: the latest that began before it. */
function parentOf(child, candidates) {
  const { parent, time } = child.turn;
  let inThread = null;
  let main = null;
  for (const each of candidates) {
    const { turn } = each;
    if (turn.turn === parent && each !== child) return each;
    const began = turn.time < time || (turn.time === time && turn.position < child.turn.position);
    if (!began || turn.side) continue;
    if (parent !== null && turn.thread === parent) inThread ??= each;
    else if (!isBelow(turn)) main ??= each;
    // A session of many turns is not read to its beginning.
    if (inThread || (parent === null && main)) break;
  }
  return inThread ?? main;
}

function sum(tree) {
  for (const each of tree.below) {
    sum(each);
    if (each.cost !== null) tree.cost = (tree.cost ?? 0) + each.cost;
    tree.unpriced += each.unpriced;
  }
}

/** How many turns stand below. */
export function countBelow(tree) {
  return tree.below.reduce((number, each) => number + 1 + countBelow(each), 0);
}

/** The trees by session, the session with the newest turn first. */
export function bySession(tops) {
  const groups = new Map();
  for (const each of tops) {
    const { session } = each.turn;
    if (!groups.has(session)) groups.set(session, []);
    groups.get(session).push(each);
  }
  return [...groups].map(([session, trees]) => ({ session, trees }));
}
