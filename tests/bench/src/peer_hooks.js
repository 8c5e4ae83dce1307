// The peer's side of the rows on an application's own code.

routerAdd("GET", "/api/bench/newest", (e) => {
  const posts = $app.findRecordsByFilter("COLLECTION", "title != ''", "-@rowid", 20);
  return e.json(200, posts.map((post) => ({
    id: post.id,
    title: post.getString("title"),
    created: post.getString("created"),
  })));
});

onRecordUpdate((e) => {
  e.record.set("title", "rewritten: " + e.record.getString("title"));
  e.next();
}, "COLLECTION");
