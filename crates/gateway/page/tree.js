// The tree of turns: turns of sub-agents are below the turn of their session that was running when they began.

/** A turn with the turns of its sub-agents, newest first. `cost` and `unpriced` include the whole tree. */
function node(turn) {
  return { turn, below: [], cost: turn.cost, unpriced: turn.unpriced_calls };
}

/** Whether a turn is of a sub-agent. */
function isBelow(turn) {
  return turn.subagent || turn.parent !== null;
}

/** Builds the trees of `turns`, which are ordered from newest to oldest. */
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

/** The turn that was running in the parent's thread when `child` began: the latest that began before it. */
function parentOf(child, candidates) {
  const { parent, time } = child.turn;
  let inThread = null;
  let main = null;
  for (const each of candidates) {
    const { turn } = each;
    if (turn.turn === parent && each !== child) return each;
    const began = turn.time < time || (turn.time === time && turn.position < child.turn.position);
    if (!began || turn.auxiliary) continue;
    if (parent !== null && turn.thread === parent) inThread ??= each;
    else if (!isBelow(turn)) main ??= each;
    // The candidates are ordered from newest to oldest, so the first match is the latest.
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

/** The number of turns below. */
export function countBelow(tree) {
  return tree.below.reduce((number, each) => number + 1 + countBelow(each), 0);
}

/** Groups trees by session; the session with the newest turn is first. */
export function bySession(tops) {
  const groups = new Map();
  for (const each of tops) {
    const { session } = each.turn;
    if (!groups.has(session)) groups.set(session, []);
    groups.get(session).push(each);
  }
  return [...groups].map(([session, trees]) => ({ session, trees }));
}
