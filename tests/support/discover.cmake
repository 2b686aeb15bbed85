# cmake -D EXECUTABLE=… -D MODULE=… -D LABELS=a,b -D SMOKE=module/test_a.cpp,… -D OUTPUT=… -P discover.cmake
#
# Writes the CTest file in which every doctest case of the binary EXECUTABLE is a test, <MODULE>.<case>, with the LABELS;
# the cases of the sources SMOKE have the label `smoke` too. A `;` in a case's name is a `,` in the test's.
cmake_minimum_required(VERSION 3.21)

# The names of the cases that the filters select, with `<semicolon>` for `;`, which would split the list.
function(list_cases result)
  execute_process(COMMAND "${EXECUTABLE}" --list-test-cases --no-colors=true ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE problem RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${EXECUTABLE} --list-test-cases failed (${code}): ${output}${problem}")
  endif()
  string(REGEX REPLACE "\\[doctest\\][^\n]*\n|=====*\n" "" output "${output}")
  # What a filter of doctest or a list of CMake would take for something else.
  if(output MATCHES "([^\n]*[][*?\\\"$][^\n]*)")
    message(FATAL_ERROR "${EXECUTABLE}: the name of a test case may not hold any of [ ] * ? \\ \" $: ${CMAKE_MATCH_1}")
  endif()
  string(REPLACE ";" "<semicolon>" output "${output}")
  string(REGEX REPLACE "\n$" "" output "${output}")
  string(REPLACE "\n" ";" output "${output}")
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

# A sanitizer's build lists its cases too, before anybody set what the tests are run with.
set(ENV{ASAN_OPTIONS} "detect_leaks=0")

list_cases(cases)
if(NOT cases)
  message(FATAL_ERROR "${EXECUTABLE} has no test case")
endif()

set(smoke_cases)
if(SMOKE)
  string(REPLACE "," ",*/" sources "${SMOKE}")
  list_cases(smoke_cases "--source-file=*/${sources}")
endif()

set(script "")
set(seen)
foreach(case IN LISTS cases)
  if(case IN_LIST seen)
    message(FATAL_ERROR "${EXECUTABLE}: two test cases are called \"${case}\"")
  endif()
  list(APPEND seen "${case}")
  set(labels "${LABELS}")
  if(case IN_LIST smoke_cases)
    string(APPEND labels ",smoke")
  endif()
  string(REPLACE "," ";" labels "${labels}")
  string(REPLACE "<semicolon>" "," name "${MODULE}.${case}")
  string(REPLACE "<semicolon>" ";" filter "${case}")
  string(REPLACE "," "\\," filter "${filter}")
  string(APPEND script
    "add_test([==[${name}]==] [==[${EXECUTABLE}]==] [==[--test-case=${filter}]==] --case-sensitive=true)\n"
    "set_tests_properties([==[${name}]==] PROPERTIES LABELS [==[${labels}]==]"
    " SKIP_REGULAR_EXPRESSION [==[\\[skipped\\] ]==])\n")
endforeach()
file(WRITE "${OUTPUT}" "${script}")
