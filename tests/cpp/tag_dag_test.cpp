#include "tags/tag_dag.hpp"

#include <array>
#include <boost/test/unit_test.hpp>

#include "memspan/error.hpp"
#include "snapshot/heap_body.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(tag_dag)

using test::Ids;
using test::Mentions;

void ignore(TagId) {}

Ids names(const TagDag& dag) {
  Ids found;
  for (const TagInfo& info : dag.list()) found.push_back(info.name);
  return found;
}

TagInfo info(const TagDag& dag, std::string_view name) {
  for (const TagInfo& candidate : dag.list()) {
    if (candidate.name == name) return candidate;
  }
  BOOST_FAIL("no tag " << name);
  return {};
}

std::vector<Slot> records(const TagDag& dag, std::string_view name) {
  const TagDag::Slots& slots = dag.records(dag.find(name).value());
  return {slots.begin(), slots.end()};
}

Ids tags_of(const TagDag& dag, Slot slot) {
  Ids found;
  for (TagId tag : dag.tags_of(slot)) found.emplace_back(dag.name(tag));
  return found;
}

std::string describe(const TagDag& dag) {
  std::string text;
  for (const TagInfo& tag : dag.list()) {
    text += tag.name + " " + std::to_string(tag.records) + " " + std::to_string(tag.specificity) + " <";
    for (const std::string& parent : tag.parents) text += " " + parent;
    text += " >";
    for (const std::string& child : tag.children) text += " " + child;
    text += dag.embedding(*dag.find(tag.name)).empty() ? "\n" : " embedded\n";
  }
  return text;
}

void merge(TagDag& dag, std::string_view from, std::string_view into) {
  dag.merge(std::array{dag.find(from).value()}, dag.find_or_create(into), ignore);
}

const Ids kAB = {"a", "b"};
const Ids kB = {"b"};

BOOST_AUTO_TEST_CASE(records_come_and_go_with_their_tags) {
  TagDag dag;
  std::vector<std::string> changed;
  const auto note = [&](TagId tag) { changed.emplace_back(dag.exists(tag) ? dag.name(tag) : "gone"); };
  dag.add_record(0, kAB);
  dag.add_record(1, kB);
  BOOST_TEST(records(dag, "b") == (std::vector<Slot>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(tags_of(dag, 0) == kAB);
  dag.remove_record(0, note);
  BOOST_TEST(names(dag) == kB);
  BOOST_TEST(records(dag, "b") == std::vector<Slot>{1}, boost::test_tools::per_element());
  BOOST_TEST(dag.tags_of(0).empty());
  dag.remove_record(1, note);
  BOOST_TEST(dag.size() == 0u);
  BOOST_TEST(changed == (Ids{"gone", "gone"}));
}

BOOST_AUTO_TEST_CASE(a_tag_stays_while_it_has_a_record_a_relation_or_an_embedding) {
  TagDag dag;
  dag.add_record(0, kAB);
  dag.relate("a", "c");
  dag.set_embedding(dag.find("b").value(), {1.0f}, ignore);
  dag.remove_record(0, ignore);
  BOOST_TEST(names(dag) == (Ids{"a", "b", "c"}));
  BOOST_TEST(dag.unrelate("a", "c"));
  BOOST_TEST(names(dag) == kB);
  BOOST_TEST(!dag.unrelate("a", "c"));
  dag.drop(dag.find("b").value(), ignore);
  BOOST_TEST(dag.size() == 0u);
}

BOOST_AUTO_TEST_CASE(relations_are_listed_by_name_with_specificity) {
  TagDag dag;
  BOOST_TEST(dag.relate("travel", "oslo"));
  BOOST_TEST(dag.relate("norway", "oslo"));
  BOOST_TEST(dag.relate("travel", "norway"));
  BOOST_TEST(!dag.relate("travel", "oslo"));
  const TagInfo oslo = info(dag, "oslo");
  BOOST_TEST(oslo.parents == (Ids{"norway", "travel"}));
  BOOST_TEST(oslo.specificity == 2u);
  BOOST_TEST(info(dag, "travel").children == (Ids{"norway", "oslo"}));
  BOOST_TEST(info(dag, "travel").specificity == 0u);
}

BOOST_AUTO_TEST_CASE(a_cycle_is_refused_with_its_path_and_creates_nothing) {
  TagDag dag;
  dag.relate("a", "b");
  dag.relate("b", "c");
  const std::string before = describe(dag);
  BOOST_CHECK_EXCEPTION(dag.relate("c", "a"), TagCycle, (Mentions{"'c'", "'a'", "a -> b -> c"}));
  BOOST_CHECK_EXCEPTION(dag.relate("new", "new"), TagCycle, (Mentions{"'new'"}));
  BOOST_TEST(describe(dag) == before);
}

BOOST_AUTO_TEST_CASE(merging_moves_records_relations_and_embedding) {
  TagDag dag;
  dag.add_record(0, kAB);
  dag.add_record(1, std::array<std::string, 1>{"a"});
  dag.relate("root", "a");
  dag.relate("a", "leaf");
  dag.relate("a", "b");
  dag.set_embedding(dag.find("a").value(), {0.5f}, ignore);
  merge(dag, "a", "b");
  BOOST_TEST(names(dag) == (Ids{"b", "leaf", "root"}));
  BOOST_TEST(records(dag, "b") == (std::vector<Slot>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(tags_of(dag, 0) == kB);
  BOOST_TEST(tags_of(dag, 1) == kB);
  BOOST_TEST(info(dag, "b").parents == Ids{"root"});
  BOOST_TEST(info(dag, "b").children == Ids{"leaf"});
  BOOST_TEST(dag.embedding(dag.find("b").value())[0] == 0.5f);
  BOOST_TEST(dag.graph().edges() == 2u);
}

BOOST_AUTO_TEST_CASE(the_target_keeps_its_own_embedding) {
  TagDag dag;
  dag.set_embedding(dag.find_or_create("a"), {0.25f}, ignore);
  dag.set_embedding(dag.find_or_create("b"), {0.75f}, ignore);
  merge(dag, "a", "b");
  BOOST_TEST(dag.embedding(dag.find("b").value())[0] == 0.75f);
}

BOOST_AUTO_TEST_CASE(a_merge_that_would_close_a_cycle_changes_nothing) {
  TagDag dag;
  dag.add_record(0, kAB);
  dag.relate("a", "x");
  dag.relate("x", "b");
  const std::string before = describe(dag);
  BOOST_CHECK_EXCEPTION(merge(dag, "a", "b"), TagCycle, (Mentions{"'x'", "'b'", "cycle"}));
  BOOST_TEST(describe(dag) == before);
  // Each alone fits under the new name; both together do not.
  const std::array both = {dag.find("a").value(), dag.find("b").value()};
  BOOST_CHECK_THROW(dag.merge(both, dag.find_or_create("new"), ignore), TagCycle);
  BOOST_TEST(describe(dag) == before);
  BOOST_TEST(!dag.find("new").has_value());
}

BOOST_AUTO_TEST_CASE(several_tags_merge_at_once) {
  TagDag dag;
  dag.add_record(0, kAB);
  dag.relate("a", "b");
  dag.relate("b", "c");
  dag.merge(std::array{dag.find("a").value(), dag.find("b").value()}, dag.find_or_create("ab"), ignore);
  BOOST_TEST(names(dag) == (Ids{"ab", "c"}));
  BOOST_TEST(tags_of(dag, 0) == Ids{"ab"});
  BOOST_TEST(info(dag, "c").parents == Ids{"ab"});
  BOOST_TEST(dag.graph().edges() == 1u);
}

BOOST_AUTO_TEST_CASE(a_merge_that_leaves_nothing_erases_the_target_too) {
  TagDag dag;
  dag.relate("a", "b");
  merge(dag, "a", "b");
  BOOST_TEST(dag.size() == 0u);
  BOOST_TEST(dag.graph().edges() == 0u);
}

BOOST_AUTO_TEST_CASE(dropping_takes_records_relations_and_what_hung_on_them) {
  TagDag dag;
  dag.add_record(0, kAB);
  dag.relate("a", "only_related");
  dag.relate("b", "a");
  dag.drop(dag.find("a").value(), ignore);
  BOOST_TEST(names(dag) == kB);
  BOOST_TEST(tags_of(dag, 0) == kB);
  BOOST_TEST(dag.graph().edges() == 0u);
}

BOOST_AUTO_TEST_CASE(renaming_keeps_everything_else) {
  TagDag dag;
  dag.add_record(0, kAB);
  dag.relate("a", "b");
  dag.rename(dag.find("a").value(), "z");
  BOOST_TEST(names(dag) == (Ids{"b", "z"}));
  BOOST_TEST(!dag.find("a").has_value());
  BOOST_TEST(tags_of(dag, 0) == (Ids{"z", "b"}));
  BOOST_TEST(info(dag, "b").parents == Ids{"z"});
}

BOOST_AUTO_TEST_CASE(saved_and_loaded_it_is_the_same) {
  TagDag dag;
  dag.add_record(0, std::array<std::string, 1>{"doomed"});
  dag.add_record(1, kAB);
  dag.add_record(2, kB);
  dag.relate("z", "a");  // the parent has the larger number
  dag.relate("b", "z");
  dag.set_embedding(dag.find("z").value(), {0.6f, 0.8f}, ignore);
  dag.remove_record(0, ignore);
  ByteWriter out;
  HeapBody body(256);
  dag.save(out, body, std::array<Slot, 2>{1, 2});
  TagDag loaded;
  ByteReader in(out.bytes(), "file", 0);
  loaded.load(in, body.take(), 2, 2);
  BOOST_TEST(in.left() == 0u);
  BOOST_TEST(describe(loaded) == describe(dag));
  BOOST_TEST(tags_of(loaded, 0) == kAB);
  BOOST_TEST(records(loaded, "b") == (std::vector<Slot>{0, 1}), boost::test_tools::per_element());
  BOOST_CHECK_THROW(loaded.relate("a", "b"), TagCycle);
}

BOOST_AUTO_TEST_CASE(embeddings_that_are_not_unit_vectors_are_not_loaded) {
  for (const float value : {0.0f, 3.0f, std::numeric_limits<float>::quiet_NaN()}) {
    TagDag dag;
    dag.set_embedding(dag.find_or_create("a"), {value, 0.0f}, ignore);
    ByteWriter out;
    HeapBody body(256);
    dag.save(out, body, {});
    TagDag loaded;
    ByteReader in(out.bytes(), "file", 0);
    BOOST_CHECK_THROW(loaded.load(in, body.take(), 0, 2), CorruptSnapshot);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
